import type { Static, TSchema } from 'typebox';
import Type from 'typebox';
import { BADGE_TIERS, TIERS, type Tier, tierKey } from '#reputation';
import { CHAINS } from '#wallet';

/**
 * The response bodies of `/v1`: these schemas serialize responses and make up the OpenAPI document.
 * Fields are in the order of the interface spec.
 */

export const closed = { additionalProperties: false } as const;

/** A value that may be missing, which a body says as null. */
export function nullable<S extends TSchema>(schema: S) {
  const { type } = schema as { type?: string };
  return Type.Unsafe<Static<S> | null>({ ...schema, type: [type, 'null'] });
}

export const Address = Type.String({
  description:
    'Wallet address in its canonical form: EIP-55 for Ethereum, base58 for Solana, base32 for Algorand.',
  pattern: '^(0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44}|[A-Z2-7]{58})$',
});

export const Timestamp = (description: string) =>
  Type.String({
    description: `${description} UTC, whole seconds.`,
    format: 'date-time',
    pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$',
  });

export const CountOf = (description: string) => Type.Integer({ description, minimum: 0 });
export const TierName = Type.Enum([...TIERS], {
  type: 'string',
  description: 'Tier of the score.',
});
export const Score = CountOf('Sum of the points of all activities, never below 0.');
const Rank = (among: string) =>
  Type.Integer({
    description: `1 + the number of users with a higher score among ${among}. Equal scores share a rank.`,
    minimum: 1,
  });

export const Reputation = Type.Object(
  {
    address: Address,
    chain: Type.Enum([...CHAINS], { type: 'string', description: 'Full name of the chain.' }),
    score: Score,
    tier: TierName,
    rank: Rank('all users'),
    totalUsers: Type.Integer({ description: 'Wallets with at least one activity.', minimum: 1 }),
    badges: Type.Array(Type.String(), { description: 'Display names of the badges.' }),
    lastUpdated: Timestamp("When the wallet's record last changed."),
  },
  { ...closed, title: 'Reputation' },
);

export const EarnedBadge = Type.Object(
  {
    id: Type.String({ description: 'Badge id.', pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' }),
    name: Type.String({ description: 'Display name.' }),
    description: Type.String({ description: 'What the badge is awarded for.' }),
    tier: Type.Enum([...BADGE_TIERS], { type: 'string', description: 'Rarity.' }),
    earnedAt: Timestamp('When the wallet earned it.'),
    imageUrl: Type.String({ description: 'Absolute image URL.', format: 'uri' }),
    soulbound: Type.Boolean({ description: "Whether it can't be transferred to another wallet." }),
  },
  { ...closed, title: 'Badge' },
);

export const BadgeList = Type.Object(
  {
    address: Address,
    badges: Type.Array(EarnedBadge, { description: 'Sorted by id.' }),
    total: CountOf('Number of badges.'),
  },
  { ...closed, title: 'BadgeList' },
);

const LeaderboardEntry = Type.Object(
  {
    rank: Rank('the filtered users'),
    address: Address,
    displayName: Type.String({
      description: "The user's display name, or the shortened address.",
    }),
    score: Score,
    tier: TierName,
    badges: CountOf('Number of badges.'),
  },
  { ...closed, title: 'LeaderboardEntry' },
);

export const Leaderboard = Type.Object(
  {
    leaderboard: Type.Array(LeaderboardEntry, {
      description: 'By score, highest first; equal scores by address.',
      maxItems: 500,
    }),
    total: CountOf('Number of filtered users.'),
    limit: Type.Integer({ description: 'The limit that was applied.', minimum: 1, maximum: 500 }),
    offset: CountOf('The offset that was applied.'),
  },
  { ...closed, title: 'Leaderboard' },
);

const Activity = Type.Object(
  {
    id: Type.String({ description: 'Stable across imports.', pattern: '^act_[a-z0-9]+$' }),
    type: Type.String({
      description:
        'Kind of activity. An open list: `badge_earned`, `governance_vote` and any other label in this format.',
      pattern: '^[a-z0-9]+(_[a-z0-9]+)*$',
    }),
    description: Type.String({ description: 'Human-readable description.' }),
    points: Type.Integer({ description: 'Points earned; may be negative.' }),
    timestamp: Timestamp('When it happened.'),
  },
  { ...closed, title: 'Activity' },
);

export const ActivityList = Type.Object(
  {
    address: Address,
    activities: Type.Array(Activity, {
      description: 'Newest first; equal times by id.',
      maxItems: 200,
    }),
    total: CountOf('Total number of activities of the wallet, not only those listed.'),
  },
  { ...closed, title: 'ActivityList' },
);

export const ActivityPage = Type.Object(
  {
    address: Address,
    activities: Type.Array(Activity, {
      description: 'Newest first; equal times by id.',
      maxItems: 1000,
    }),
    next: nullable(
      Type.String({
        description: 'Continue with `after` and this; null on the last page.',
        pattern: '^act_[a-z0-9]+$',
      }),
    ),
    hasMore: Type.Boolean({ description: 'Whether another page follows.' }),
  },
  { ...closed, title: 'ActivityPage' },
);

const Users = Type.Object({ users: CountOf('Users on this chain.') }, closed);

export const GlobalStats = Type.Object(
  {
    totalUsers: CountOf('Wallets with at least one activity.'),
    totalBadgesIssued: CountOf('Badges earned by all users.'),
    chains: Type.Object({ ethereum: Users, solana: Users, algorand: Users }, closed),
    averageScore: Type.Number({ description: 'Rounded to 2 decimals.', minimum: 0 }),
    topTier: Type.Object(
      Object.fromEntries(
        TIERS.map((tier) => [tierKey(tier), CountOf('Users in this tier.')]),
      ) as Record<Lowercase<Tier>, ReturnType<typeof CountOf>>,
      { ...closed, description: 'Users by tier.' },
    ),
  },
  { ...closed, title: 'GlobalStats' },
);
