import type { Card } from '#core/card';
import type { CommandContext } from '#core/command';
import type { Wallet } from '#core/wallet';
import { leaderboard } from './calls.ts';
import { footerOf } from './footer.ts';

/** The answer about a valid address without any activity: not the same as a score of 0. */
export function neverSeen(context: CommandContext, wallet: Wallet): Card {
  const { texts } = context;
  return {
    tone: 'plain',
    title: texts.neverSeen.title,
    blocks: [
      { kind: 'text', spans: [{ code: wallet.address }] },
      { kind: 'text', spans: [texts.neverSeen.about] },
      { kind: 'text', spans: [texts.neverSeen.next] },
    ],
    actions: [[leaderboard(texts)]],
    menu: undefined,
    footer: footerOf(context),
    private: false,
  };
}
