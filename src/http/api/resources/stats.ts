import { platformRoute } from '#http/api/route';
import { GlobalStats } from '#http/api/schemas';

export const statsRoute = platformRoute({
  id: 'getGlobalStats',
  path: '/stats/global',
  summary: 'Platform-wide statistics',
  description: 'Number of users, by chain and by tier.',
  query: undefined,
  response: GlobalStats,
  exampleRequest: '/stats/global',
  example: {
    totalUsers: 48210,
    totalBadgesIssued: 96133,
    chains: { ethereum: { users: 20114 }, solana: { users: 19002 }, algorand: { users: 9094 } },
    averageScore: 742.61,
    topTier: { titan: 102, whale: 931, shark: 3120, dolphin: 11874, shrimp: 32183 },
  },
  answer: ({ source }) => source.stats(),
});
