/**
 * What we know of a wallet: scores, tiers, badges, activity, changes, and the source that gives
 * them.
 */

export {
  ACTIVITY_CURSOR_FORM,
  type ActivityContent,
  ADJUSTMENT,
  activityGone,
  closingScores,
  type DayRange,
  HISTORY_MAX,
  type ImportedEvent,
  keptId,
  type LedgerActivity,
  type LedgerCorrection,
  publicId,
} from './activity/activity.ts';
export {
  type ActivityColumns,
  fromActivityColumns,
  joinActivityColumns,
  type TextColumn,
  textAt,
  textColumn,
  toActivityColumns,
} from './activity/activity-columns.ts';
export type {
  Activity,
  ActivityList,
  ActivityPage,
  BadgeHolder,
  BadgeHolders,
  BadgeList,
  Breakdown,
  ChainEvent,
  EarnedBadge,
  Gainer,
  GainersPage,
  GlobalStats,
  Growth,
  GrowthDay,
  HolderPlace,
  LeaderboardEntry,
  LeaderboardPage,
  Provenance,
  ProvenanceSource,
  Reputation,
  RuleShare,
  ScoreDay,
  ScoreHistory,
} from './api-records.ts';
export {
  BADGE_TIERS,
  type BadgeDefinition,
  type BadgeTier,
  badgeInitials,
  byRarity,
} from './badge.ts';
export {
  type ChangeEntry,
  type ChangeFeed,
  type ChangesPage,
  type ChangesQuery,
  CURSOR_FORM,
  cursorGone,
  type FeedPlace,
  type FeedRetention,
  type WalletChange,
} from './changes.ts';
export { foldName, isShowableName, pickNamesakes } from './display-names.ts';
export { ExplorerLinks, type Explorers, parseExplorers } from './explorer-links.ts';
export { countNegative, isConfirmed, type NegativeReadings } from './negative-readings.ts';
export { type Page, pageOf, readPage } from './paging.ts';
export {
  type ActivitiesQuery,
  type BadgeHoldersQuery,
  daysOfPeriod,
  type GainersQuery,
  type LeaderboardQuery,
  PERIOD_CODES,
  PERIODS,
  type PeriodCode,
  type PeriodDays,
  type Reading,
  type ReputationSource,
  readingKey,
  SUGGESTED_FROM,
  type Urgency,
} from './reputation-source.ts';
export {
  DEFAULT_THRESHOLDS,
  FIT_SHARES,
  fitThresholds,
  lowestScoreOf,
  parseThresholds,
  type ScoreCounts,
  TIERS,
  type Tier,
  type TierThresholds,
  thresholdsText,
  tierKey,
  tierOf,
  walletsIn,
} from './tier.ts';
