import Type from 'typebox';
import { integerParameter } from '#http/api/routes/query';
import { platformRoute } from '#http/api/routes/route';
import { GlobalStats, Leaderboard } from '#http/api/schemas';
import { CHAIN_CODES, chainOfCode } from '#wallet';

export const leaderboardRoute = platformRoute({
  id: 'getLeaderboard',
  path: '/leaderboard',
  summary: 'Top users by reputation score',
  description:
    'Users by score, paginated. An offset past the end returns an empty page, not an error. Equal scores share a rank and are sorted by address, so pages are stable.',
  query: Type.Object({
    limit: Type.Optional(
      integerParameter({
        description: 'Maximum number of users to list. Values above 500 are treated as 500.',
        minimum: 1,
        default: 100,
        applied: 500,
      }),
    ),
    offset: Type.Optional(
      integerParameter({ description: 'Number of users to skip.', minimum: 0, default: 0 }),
    ),
    chain: Type.Optional(
      Type.Enum([...CHAIN_CODES, 'all'], {
        type: 'string',
        description: "Only this chain's users; `rank` and `total` then count among them.",
        default: 'all',
      }),
    ),
  }),
  response: Leaderboard,
  exampleRequest: '/leaderboard?limit=2&chain=eth',
  example: {
    leaderboard: [
      {
        rank: 1,
        address: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
        displayName: 'vitalik.eth',
        score: 15230,
        tier: 'Titan',
        badges: 9,
      },
      {
        rank: 2,
        address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
        displayName: '0x5aAe…eAed',
        score: 8710,
        tier: 'Whale',
        badges: 4,
      },
    ],
    total: 20114,
    limit: 2,
    offset: 0,
  },
  answer: ({ source, query }) => {
    const { limit = 100, offset = 0, chain = 'all' } = query;
    return source.leaderboard({
      limit,
      offset,
      chain: chain === 'all' ? 'all' : chainOfCode(chain),
    });
  },
});

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
