import { type Card, type CardEntry, noteCard } from '#command';
import type { CommandContext } from '#commands/answering/command';
import { type Chain, shortAddress, type Wallet } from '#wallet';
import { leaderboard, linkButton, privateCard, statistics } from './card-parts.ts';

/** Buttons for wallets, at most five per row. */
export const WITH_BUTTON = 10;

/** Whose linked wallets to use if none is given, and which. */
interface Whose {
  /** Account id; the caller's own if undefined. */
  readonly member: string | undefined;
  readonly chain?: Chain | undefined;
  /** The command, for its example. */
  readonly command: 'rep' | 'badges' | 'activity' | 'why';
}

/** Cards for one wallet and for several. */
interface Shown {
  one(wallet: Wallet): Promise<Card>;
  several(wallets: readonly Wallet[]): Promise<Card> | Card;
}

/** The linked wallets of the caller or a member, shown only to those their owner allows. */
export async function linkedWalletCard(
  context: CommandContext,
  { member, chain, command }: Whose,
  shown: Shown,
): Promise<Card> {
  const { links, caller, texts } = context;
  const isOwn = member === undefined || member === caller.id;
  const all = isOwn ? await links.wallets() : await links.walletsOf(member);
  const wallets = all.filter((each) => chain === undefined || each.chain === chain);
  const [first, ...others] = wallets;
  const hidden = noteCard('plain', texts.wallets.notShown, texts.wallets.notShownAbout);
  if (first === undefined && !isOwn) return hidden;
  // Who names themselves asks about no other wallet.
  const ofNone = () => (member !== undefined && all.length === 0 ? noneYet : whichWallet);
  const card =
    first === undefined
      ? ofNone()(context, command)
      : await (others.length === 0 ? shown.one(first) : shown.several(wallets));
  // Reading takes a while, in which they may have hidden or unlinked some.
  if (!isOwn && !areAmong(wallets, await links.walletsOf(member))) return hidden;
  // Private whether or not there's a wallet, so onlookers can't tell.
  return { ...card, private: isOwn && !(await links.areShown()) };
}

function areAmong(wallets: readonly Wallet[], all: readonly Wallet[]): boolean {
  const addresses = new Set(all.map(({ address }) => address));
  return wallets.every(({ address }) => addresses.has(address));
}

/** Asks which of several linked wallets to show. */
export function chooseWalletCard(
  { texts }: CommandContext,
  command: 'badges' | 'activity' | 'why',
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

function noneYet({ texts }: CommandContext): Card {
  const none = { kind: 'text', spans: [texts.wallets.none] } as const;
  return privateCard(texts.wallets.title, [none], [[linkButton(texts)]]);
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
