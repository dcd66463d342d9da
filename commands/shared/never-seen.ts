import type { Block, Card } from '#command';
import type { Texts } from '#command/texts';
import type { CommandContext } from '#commands/answering/command';
import type { Wallet } from '#wallet';
import { leaderboard } from './calls.ts';
import { emptyBlocks } from './empty.ts';
import { footerOf } from './footer.ts';

/** The card for a valid address without activity, which is not a score of 0. */
export async function neverSeen(context: CommandContext, wallet: Wallet): Promise<Card> {
  const { texts } = context;
  const isEmpty = (await context.source.stats()).totalUsers === 0;
  return {
    tone: 'plain',
    title: texts.neverSeen.title,
    blocks: [
      { kind: 'text', spans: [{ code: wallet.address }] },
      ...(isEmpty ? emptyBlocks(context) : neverBlocks(texts)),
    ],
    actions: [[leaderboard(texts)]],
    menu: undefined,
    footer: footerOf(context),
    private: false,
  };
}

function neverBlocks(texts: Texts): Block[] {
  return [
    { kind: 'text', spans: [texts.neverSeen.about] },
    { kind: 'text', spans: [texts.neverSeen.next] },
  ];
}
