import { type Bar, type Block, type Card, shareOf, tierLabel } from '#command';
import type { Texts } from '#command/texts';
import { type GlobalStats, TIERS, tierKey } from '#reputation';
import { CHAINS } from '#wallet';
import { defineCommand } from './answering/command.ts';
import { emptyBlocks, footerOf, leaderboard } from './shared/card-parts.ts';

/** Statistics of all wallets. */
export const stats = defineCommand({
  name: 'stats',
  letter: 's',
  about: (texts) => texts.commands.stats.about,
  options: [],
  private: false,
  async run(context): Promise<Card> {
    const { texts } = context;
    const figures = await context.source.stats();
    return {
      tone: 'plain',
      title: texts.stats.title,
      blocks: figures.totalUsers === 0 ? emptyBlocks(context) : figureBlocks(figures, texts),
      actions: [[leaderboard(texts)]],
      menu: undefined,
      footer: footerOf(context),
      private: false,
    };
  },
});

function figureBlocks(figures: GlobalStats, texts: Texts): Block[] {
  const { number } = texts;
  const total = figures.totalUsers;
  const bar = (label: string, count: number): Bar => ({
    label,
    fraction: count / total,
    count: number(count),
    share: shareOf(count, total, texts),
  });
  return [
    {
      kind: 'facts',
      facts: [
        { label: texts.stats.wallets, value: [{ bold: number(total) }] },
        { label: texts.stats.average, value: [number(figures.averageScore)] },
        { label: texts.stats.badges, value: [number(figures.totalBadgesIssued)] },
      ],
    },
    { kind: 'heading', text: texts.stats.byTier },
    {
      kind: 'bars',
      bars: TIERS.map((tier) => bar(tierLabel(tier, texts), figures.topTier[tierKey(tier)])),
    },
    { kind: 'heading', text: texts.stats.byChain },
    {
      kind: 'bars',
      bars: CHAINS.map((chain) => bar(texts.chains[chain], figures.chains[chain].users)),
    },
  ];
}
