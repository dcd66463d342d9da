import type { Card, CardEntry } from '#core/card';
import type { Chain } from '#core/chain';
import type { CommandContext } from '#core/command';
import { noteCard } from '#core/note';
import { shortAddress, type Wallet } from '#core/wallet';
import { leaderboard, linkButton, statistics } from './calls.ts';

/** Buttons for wallets, in rows of five at most. */
export const WITH_BUTTON = 10;

/** Whose wallets are meant where none is given, and which of them. */
interface Whose {
  /** By account id; the caller's own when undefined. */
  readonly member: string | undefined;
  readonly chain?: Chain | undefined;
  /** The command that was asked, for its example. */
  readonly command: 'rep' | 'badges' | 'activity';
}

/** What is shown of one wallet, and of several. */
interface Shown {
  one(wallet: Wallet): Promise<Card>;
  several(wallets: readonly Wallet[]): Promise<Card> | Card;
}

/** The linked wallets of the caller or of a member, for as many eyes as their owner allows. */
export async function ofLinked(
  context: CommandContext,
  { member, chain, command }: Whose,
  shown: Shown,
): Promise<Card> {
  const { links, caller, texts } = context;
  const isOwn = member === undefined || member === caller.id;
  const all = isOwn ? await links.wallets() : await links.walletsOf(member);
  const wallets = all.filter((each) => chain === undefined || each.chain === chain);
  const [first, ...others] = wallets;
  if (first === undefined && !isOwn) {
    return noteCard('plain', texts.wallets.notShown, texts.wallets.notShownAbout);
  }
  const card =
    first === undefined
      ? whichWallet(context, command)
      : await (others.length === 0 ? shown.one(first) : shown.several(wallets));
  // With a wallet or without: whoever looks on must not be able to tell.
  return { ...card, private: isOwn && !(await links.areShown()) };
}

/** Asks which of several linked wallets a command is to show. */
export function whichOf(
  { texts }: CommandContext,
  command: 'badges' | 'activity',
  wallets: readonly Wallet[],
): Card {
  const entries = wallets.map(
    ({ chain, address }): CardEntry => ({
      title: [{ code: address }],
      detail: [texts.chains[chain]],
    }),
  );
  const buttons = wallets.slice(0, WITH_BUTTON).map(({ address }) => ({
    label: shortAddress(address),
    call: { command, args: { wallet: address } },
  }));
  return {
    tone: 'plain',
    title: texts.rep.which,
    blocks: [{ kind: 'entries', entries }],
    actions: [buttons.slice(0, 5), buttons.slice(5)].filter((row) => row.length > 0),
    menu: undefined,
    footer: [],
    private: false,
  };
}

function whichWallet({ texts }: CommandContext, command: Whose['command']): Card {
  return {
    tone: 'plain',
    title: texts.rep.which,
    blocks: [
      { kind: 'text', spans: [`${texts.rep.giveOne} `, { code: texts.commands[command].example }] },
      { kind: 'text', spans: [texts.rep.forms] },
      { kind: 'text', spans: [texts.rep.orLink] },
    ],
    actions: [[leaderboard(texts), statistics(texts), linkButton(texts)]],
    menu: undefined,
    footer: [],
    private: false,
  };
}
