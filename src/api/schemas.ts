import Type from 'typebox';
import { BADGE_TIERS } from '#core/badge';
import { CHAINS } from '#core/chain';
import { TIERS } from '#core/tier';

/**
 * The bodies of `/v1`: these schemas write the answers and are the OpenAPI document. The order of
 * the fields is the interface's.
 */

const closed = { additionalProperties: false } as const;

const Address = Type.String({
  description:
    'Wallet address in its canonical form: EIP-55 for Ethereum, base58 for Solana, base32 for Algorand.',
  pattern: '^(0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44}|[A-Z2-7]{58})$',
});

const Timestamp = (description: string) =>
  Type.String({
    description: `${description} UTC, whole seconds.`,
    format: 'date-time',
    pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$',
  });

const Count = (description: string) => Type.Integer({ description, minimum: 0 });
const TierName = Type.Enum([...TIERS], { type: 'string', description: 'Tier of the score.' });
const Score = Count('Sum of the points of all activities, never below 0.');
const Rank = (among: string) =>
  Type.Integer({
    description: `1 + the number of users with a higher score, among ${among}. Equal scores share a rank.`,
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
    lastUpdated: Timestamp("When the wallet's record last changed here."),
  },
  { ...closed, title: 'Reputation' },
);

const EarnedBadge = Type.Object(
  {
    id: Type.String({ description: 'Identifier.', pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' }),
    name: Type.String({ description: 'Display name.' }),
    description: Type.String({ description: 'What it is given for.' }),
    tier: Type.Enum([...BADGE_TIERS], { type: 'string', description: 'Rarity.' }),
    earnedAt: Timestamp('When the wallet earned it.'),
    imageUrl: Type.String({ description: 'Absolute URL of the image.', format: 'uri' }),
    soulbound: Type.Boolean({ description: 'Whether it cannot be given to another wallet.' }),
  },
  { ...closed, title: 'Badge' },
);

export const BadgeList = Type.Object(
  {
    address: Address,
    badges: Type.Array(EarnedBadge, { description: 'In the order of their ids.' }),
    total: Count('Number of badges.'),
  },
  { ...closed, title: 'BadgeList' },
);

const LeaderboardEntry = Type.Object(
  {
    rank: Rank('the users under the filter'),
    address: Address,
    displayName: Type.String({
      description: "The user's display name, else the address shortened.",
    }),
    score: Score,
    tier: TierName,
    badges: Count('Number of badges.'),
  },
  { ...closed, title: 'LeaderboardEntry' },
);

export const Leaderboard = Type.Object(
  {
    leaderboard: Type.Array(LeaderboardEntry, {
      description: 'By score, highest first; equal scores by address.',
      maxItems: 500,
    }),
    total: Count('Number of users under the filter.'),
    limit: Type.Integer({ description: 'The limit that was applied.', minimum: 1, maximum: 500 }),
    offset: Count('The offset that was applied.'),
  },
  { ...closed, title: 'Leaderboard' },
);

const Activity = Type.Object(
  {
    id: Type.String({ description: 'The same on every import.', pattern: '^act_[a-z0-9]+$' }),
    type: Type.String({
      description:
        'Kind of activity, an open list: `badge_earned`, `governance_vote` and any other label of this form.',
      pattern: '^[a-z0-9]+(_[a-z0-9]+)*$',
    }),
    description: Type.String({ description: 'What happened, for people.' }),
    points: Type.Integer({ description: 'Points that it gave; may be negative.' }),
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
    total: Count('Number of all activities of the wallet, not only those listed.'),
  },
  { ...closed, title: 'ActivityList' },
);

const Users = Type.Object({ users: Count('Users on this chain.') }, closed);

export const GlobalStats = Type.Object(
  {
    totalUsers: Count('Wallets with at least one activity.'),
    totalBadgesIssued: Count('Badges earned by all users.'),
    chains: Type.Object({ ethereum: Users, solana: Users, algorand: Users }, closed),
    averageScore: Type.Number({ description: 'Rounded to 2 decimals.', minimum: 0 }),
    topTier: Type.Object(
      {
        titan: Count('Users in this tier.'),
        whale: Count('Users in this tier.'),
        shark: Count('Users in this tier.'),
        dolphin: Count('Users in this tier.'),
        shrimp: Count('Users in this tier.'),
      },
      { ...closed, description: 'Users by tier.' },
    ),
  },
  { ...closed, title: 'GlobalStats' },
);
