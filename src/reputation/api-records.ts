import type { Chain } from '#wallet';
import type { BadgeDefinition, BadgeTier } from './badge.ts';
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

/** A wallet with a badge. */
export interface BadgeHolder {
  address: string;
  /** As in the leaderboard. */
  displayName: string;
  score: number;
  tier: Tier;
  earnedAt: string;
}

/** Who has a badge. Beside the interface. */
export interface BadgeHolders {
  badge: BadgeDefinition;
  /** Newest first, one page of them. */
  holders: BadgeHolder[];
  /** How many there are in all. */
  total: number;
  /** Where the next page begins; undefined on the last one. */
  next: HolderPlace | undefined;
}

/** A place in the list of who has a badge: the page after it begins with the next one. */
export type HolderPlace = Pick<BadgeHolder, 'address' | 'earnedAt'>;

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

/** A wallet on a board of gains; its score and tier are those it has now. */
export interface Gainer extends LeaderboardEntry {
  readonly gained: number;
}

export interface GainersPage {
  readonly gainers: readonly Gainer[];
  /** How many are on all pages; the board has an end. */
  readonly total: number;
  /** Whether newer data is being counted. */
  readonly isBehind: boolean;
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

/** One page of all activities. Beside the interface. */
export interface ActivityPage {
  address: string;
  /** Newest first, equal times by id. */
  activities: Activity[];
  /** The cursor of the next page: the id of the last activity; null on the last page. */
  next: string | null;
  hasMore: boolean;
}

/** What a chain, or a hub of votes, has of an activity. */
export interface ChainEvent {
  /** As in a rules file: `eip155:1`, `solana`, `algorand`, `snapshot`. */
  readonly chain: string;
  /** Hash or id of the transaction, id of the vote. */
  readonly transaction: string;
  /** Set for votes in Snapshot's spaces. */
  readonly vote?: { readonly space: string; readonly proposal: string };
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

/** What one rule gave a wallet; `capped`, `decayed` and `discounted` are points held back, at least 0. */
export interface RuleShare {
  id: string;
  /** The version in the rules file. */
  version: number;
  /** The operator's title, otherwise the rule in words. */
  title: string;
  /** What members call it, if the source knows; no part of `/v1`. */
  called?: string;
  /** What it gives, for members, if the source knows; no part of `/v1`. */
  words?: string;
  points: number;
  /** How many events, or days of holding; adjustments aside. */
  count: number;
  /** What `count` counts, if the source knows; no part of `/v1`. */
  counts?: 'events' | 'days';
  capped: number;
  decayed: number;
  discounted: number;
  /** When the newest of these was. */
  newest: string;
}

/** Where a score comes from. The points add up to the score before its floor of 0. */
export interface Breakdown {
  address: string;
  score: number;
  /** The rules that gave anything, in the order of the rules file. */
  rules: RuleShare[];
  imported: { points: number; count: number };
  /** The last daily step, `2025-12-15T00:00:00Z`; null without rules. */
  asOf: string | null;
}

export interface ScoreDay {
  /** `2025-12-15` */
  day: string;
  score: number;
}

/** How a score came to be what it is. */
export interface ScoreHistory {
  address: string;
  /** UTC days on which the score changed, with the score at their end; oldest first. */
  days: ScoreDay[];
}

/** Up to where a source is in the scores. */
export interface ProvenanceSource {
  id: string;
  /** As in the rules file; null for imports. */
  chain: string | null;
  /** Block, slot or round; of imports the number of events. */
  height: number;
  hash: string | null;
  /** The time of that block; of imports that of the newest event. Null before the first. */
  at: string | null;
  /** Only where there is one node, so that nothing could be compared. */
  nodes?: 1;
}

/** What all scores stand on. */
export interface Provenance {
  rules: { name: string; version: number; hash: string; appliedAt: string } | null;
  sources: ProvenanceSource[];
  /** As in a breakdown. */
  asOf: string | null;
  /** The digest of all scores; see `ScoreDigest`. */
  digest: string;
}

/** How many wallets were first active on a day. */
export interface GrowthDay {
  /** Days since 1970 (UTC). */
  day: number;
  joined: Record<Chain, number>;
}

/** When wallets were first active. Beside the interface. */
export interface Growth {
  /** Ascending; days on which no wallet joined are missing. */
  days: readonly GrowthDay[];
  /** Whether newer data is being counted. */
  isBehind: boolean;
}
