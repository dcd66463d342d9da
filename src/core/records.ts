import type { BadgeDefinition, BadgeTier } from './badge.ts';
import type { Chain } from './chain.ts';
import type { Tier } from './tier.ts';

/** The records of the `/v1` interface. Field order is the interface's and is kept in bodies. */

/** Section 2.1 of the interface. */
export interface Reputation {
  address: string;
  chain: Chain;
  score: number;
  tier: Tier;
  /** Standard competition rank among all users: 1 + the number of users with a higher score. */
  rank: number;
  totalUsers: number;
  /** Display names, in the order of the badges' ids. */
  badges: string[];
  /** `2025-12-15T14:30:00Z` */
  lastUpdated: string;
}

/** Section 2.2. */
export interface EarnedBadge {
  id: BadgeDefinition['id'];
  name: string;
  description: string;
  tier: BadgeTier;
  earnedAt: string;
  imageUrl: string;
  soulbound: boolean;
}

/** Section 2.3. */
export interface BadgeList {
  address: string;
  /** In the order of their ids. */
  badges: EarnedBadge[];
  total: number;
}

/** Section 2.4. */
export interface LeaderboardEntry {
  rank: number;
  address: string;
  displayName: string;
  score: number;
  tier: Tier;
  badges: number;
}

export interface LeaderboardPage {
  leaderboard: LeaderboardEntry[];
  total: number;
  limit: number;
  offset: number;
}

/** Section 2.5. */
export interface Activity {
  id: string;
  type: string;
  description: string;
  points: number;
  timestamp: string;
}

export interface ActivityList {
  address: string;
  /** Newest first, equal times by id. */
  activities: Activity[];
  /** All activities of the wallet, not only those listed. */
  total: number;
}

/** Section 2.6. */
export interface GlobalStats {
  totalUsers: number;
  totalBadgesIssued: number;
  chains: Record<Chain, { users: number }>;
  /** Rounded to 2 decimals; 0 when there are no users. */
  averageScore: number;
  topTier: Record<Lowercase<Tier>, number>;
}
