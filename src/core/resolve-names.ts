import type { Call, Card, CardEntry } from '#core/card';
import type { Command } from '#core/command';
import { UserError } from '#core/errors';
import { pastedAddress } from '#core/pasted-address';
import type { Reading } from '#core/ports';
import type { LeaderboardEntry } from '#core/records';
import type { Texts } from '#core/texts/index';
import { tierLabel } from '#core/tone';
import { shortAddress, type WalletParser } from '#core/wallet';

/** In rows of five, which fit on both platforms. */
const WITH_BUTTON = 10;
/** A mistyped address isn't a name; the parser says what's wrong with it. */
const LONGER_THAN_NAMES = 30;

/**
 * The call with a display name replaced by its address, or a card that asks which wallet is meant.
 * What looks like an address is never treated as a name, because anyone may choose such a name.
 * @throws UserError `unknown-name` for what is neither; RetryableError
 */
export async function resolveNames(
  command: Command,
  call: Call,
  source: Reading,
  wallets: WalletParser,
  texts: Texts,
): Promise<Call | Card> {
  let settled = call;
  for (const { kind, name: option } of command.options) {
    const text = call.args[option]?.trim() ?? '';
    if (kind !== 'wallet' || text === '' || wallets.hasForm(pastedAddress(text))) continue;
    const meant = await source.named(text);
    const [first, ...others] = meant;
    if (first === undefined) {
      if (text.length > LONGER_THAN_NAMES || /^0x[0-9a-f]*$/i.test(text)) continue;
      throw new UserError('unknown-name', texts.errors.unknownName(text));
    }
    if (others.length > 0) return choiceCard(command, call, option, meant, texts);
    settled = { ...settled, args: { ...settled.args, [option]: first.address } };
  }
  return settled;
}

function choiceCard(
  command: Command,
  call: Call,
  option: string,
  namesakes: readonly LeaderboardEntry[],
  texts: Texts,
): Card {
  const buttons = namesakes.slice(0, WITH_BUTTON).map(({ address }) => ({
    label: shortAddress(address),
    call: { command: call.command, args: { ...call.args, [option]: address } },
  }));
  return {
    tone: 'plain',
    title: texts.rep.which,
    blocks: [
      { kind: 'text', spans: [texts.rep.several] },
      { kind: 'entries', entries: namesakes.map((each) => entryOf(each, texts)) },
    ],
    actions: [buttons.slice(0, 5), buttons.slice(5)].filter((row) => row.length > 0),
    menu: undefined,
    footer: [],
    private: command.private,
  };
}

function entryOf({ address, displayName, score, tier }: LeaderboardEntry, texts: Texts): CardEntry {
  const points = texts.points(score, texts.number(score));
  return {
    title: [{ bold: displayName }, ` · ${tierLabel(tier, texts)} · ${points}`],
    detail: [{ code: address }],
  };
}
