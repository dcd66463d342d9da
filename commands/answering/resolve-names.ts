import { UserError } from '#base';
import { type Call, type Card, type CardEntry, tierLabel } from '#command';
import type { Texts } from '#command/texts';
import { NAME_SERVICES, type VerifiedNames } from '#names';
import type { LeaderboardEntry, Reading, Urgency } from '#reputation';
import { pastedAddress, shortAddress, type Wallet, type WalletParser } from '#wallet';
import type { Command } from './command.ts';

/** In rows of five, which fit on both platforms. */
const WITH_BUTTON = 10;
/** A mistyped address isn't a name; the parser says what's wrong with it. */
const LONGER_THAN_NAMES = 30;

/** Where names are looked up. */
interface NameSources {
  /** Knows the community's own names. */
  readonly source: Reading;
  readonly names: VerifiedNames;
  readonly urgency: Urgency;
  readonly wallets: WalletParser;
}

/**
 * Replaces a name in the call by its address, or returns a card that asks which wallet is meant, for example
 * if a name service has another owner for the community's name. What looks like an address is never treated
 * as a name, because anyone may choose such a name.
 * @throws UserError `unknown-name` if there's no such name, or as `walletOf`; RetryableError
 */
export async function resolveNames(
  command: Command,
  call: Call,
  sources: NameSources,
  texts: Texts,
): Promise<Call | Card> {
  const { source, wallets } = sources;
  let settled = call;
  for (const { kind, name: option } of command.options) {
    const text = call.args[option]?.trim() ?? '';
    if (kind !== 'wallet' || text === '' || wallets.hasForm(pastedAddress(text))) continue;
    const meant: readonly Candidate[] = await source.named(text);
    const verified = await verifiedWallet(sources, text, meant.length > 0);
    const isKnown = meant.some(({ address }) => address === verified?.address);
    const all = verified === undefined || isKnown ? meant : [...meant, verified];
    const [first, ...others] = all;
    if (first === undefined) {
      if (text.length > LONGER_THAN_NAMES || /^0x[0-9a-f]*$/i.test(text)) continue;
      throw new UserError('unknown-name', texts.errors.unknownName(text));
    }
    if (others.length > 0) return choiceCard(command, call, option, all, texts);
    settled = { ...settled, args: { ...settled.args, [option]: first.address } };
  }
  return settled;
}

/** A wallet that a name may mean: the community's, or a name service's. */
type Candidate = LeaderboardEntry | Wallet;

/** @param isOptional whether the community's name is enough, so that errors of the service don't matter */
async function verifiedWallet(
  { names, urgency }: NameSources,
  text: string,
  isOptional: boolean,
): Promise<Wallet | undefined> {
  if (!names.hasForm(text)) return undefined;
  try {
    return await names.walletOf(text, urgency);
  } catch (error) {
    if (isOptional && error instanceof UserError) return undefined;
    throw error;
  }
}

function choiceCard(
  command: Command,
  call: Call,
  option: string,
  namesakes: readonly Candidate[],
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

function entryOf(candidate: Candidate, texts: Texts): CardEntry {
  const { address } = candidate;
  if ('chain' in candidate) {
    return {
      title: [texts.rep.registered(NAME_SERVICES[candidate.chain])],
      detail: [{ code: address }],
    };
  }
  const { displayName, score, tier } = candidate;
  const points = texts.points(score, texts.number(score));
  return {
    title: [{ bold: displayName }, ` · ${tierLabel(tier, texts)} · ${points}`],
    detail: [{ code: address }],
  };
}
