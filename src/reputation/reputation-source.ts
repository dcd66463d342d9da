import type { MaybePromise } from '#base';
import type { Chain, Wallet } from '#wallet';
import type { DayRange } from './activity.ts';
import type {
  Activity,
  ActivityList,
  ActivityPage,
  BadgeHolders,
  BadgeList,
  Breakdown,
  ChainEvent,
  GainersPage,
  GlobalStats,
  Growth,
  HolderPlace,
  LeaderboardEntry,
  LeaderboardPage,
  Provenance,
  Reputation,
  ScoreHistory,
} from './api-records.ts';
import type { BadgeDefinition } from './badge.ts';
import type { ChangeFeed, FeedPlace } from './changes.ts';

export interface LeaderboardQuery {
  readonly chain: Chain | 'all';
  /** 1 to 500. */
  readonly limit: number;
  readonly offset: number;
}

/** Where to search for names by substring; a page is cheap. */
export const SUGGESTED_FROM = { chain: 'all', limit: 500, offset: 0 } as const;

export interface ActivitiesQuery {
  /** The public id of the last activity of the page before; undefined for the newest. */
  readonly after: string | undefined;
  /** 1 to 1,000. */
  readonly limit: number;
}

export interface BadgeHoldersQuery {
  /** The badge's id. */
  readonly badge: string;
  /** 1 to 100; a page may have fewer, though there are more. */
  readonly limit: number;
  /** `next` of the page before; undefined for the newest. */
  readonly after: HolderPlace | undefined;
}

/** How many days, today included, a board of gains may cover. */
export const PERIODS = [7, 30, 90] as const;
export type PeriodDays = (typeof PERIODS)[number];
/** The same as commands and pages write it. */
export type PeriodCode = `${PeriodDays}d`;
export const PERIOD_CODES: readonly PeriodCode[] = PERIODS.map((days) => `${days}d` as const);

export function daysOfPeriod(code: PeriodCode): PeriodDays {
  return Number.parseInt(code, 10) as PeriodDays;
}

export interface GainersQuery extends LeaderboardQuery {
  readonly days: PeriodDays;
}

/**
 * Who waits for the answer: a member of a chat; a visitor, of whom there may be any number; or
 * nobody. An outside source's quota is never all spent on the latter two.
 */
export type Urgency = 'interactive' | 'visitor' | 'background';

/** The data source of every adapter. */
export interface ReputationSource {
  /** Starts a query, which may make several reads. */
  reading(urgency?: Urgency): Reading;
  /**
   * The wallet this text names, if it's known and can be recognized from the text alone; undefined
   * proves nothing. Known wallets were validated on import, so callers may skip parsing and
   * checksums; a text with a wrong checksum is never recognized.
   */
  recognise(text: string): Wallet | undefined;
  /** Whether a badge with this id exists; undefined, or no such method, if that's unknown. */
  knowsBadge?(id: string): boolean | undefined;
  /** A badge's definition; undefined, or no such method, as above. */
  badgeWithId?(id: string): BadgeDefinition | undefined;
  /** The definitions of all badges; no such method where the source can't list them. */
  allBadges?(): Iterable<BadgeDefinition>;
  /** What changed; missing where the source can't tell. */
  readonly changes?: ChangeFeed | undefined;
}

/**
 * One query to a source: its results, and where they came from. A result of `undefined` means the
 * wallet has no known activity. Throws RetryableError if the data is unavailable; results are never
 * partial.
 */
export interface Reading {
  /**
   * Identifies the data of the last result. Two results of one query with the same revision are
   * equal, so it serves as their ETag.
   */
  readonly revision: string;
  /**
   * Seconds since 1970 of the newest data in the results, the oldest of several; undefined if there
   * is none.
   */
  readonly asOf: number | undefined;
  /** Whether older data has a later time, as the clock was set back: then no date tells whether there's newer data. */
  readonly isUndated?: boolean;
  /** Whole seconds since the data was known to be current, the most of several results. */
  readonly ageSeconds: number;
  /** Whether newer data may exist, or the results may be wrong. */
  readonly isStale: boolean;
  /** Whether a source of the live rules is still being read, so that scores lack what comes later there. */
  readonly isPartial?: boolean;
  /** Where the results are in the feed of changes; missing where the source can't tell. */
  readonly place?: FeedPlace | undefined;
  /**
   * Identifies the rules that the results stand on now: another one when others go live. Missing where only the
   * provenance can tell.
   */
  readonly rulesVersion?: string;
  reputation(wallet: Wallet): MaybePromise<Reputation | undefined>;
  badges(wallet: Wallet): MaybePromise<BadgeList | undefined>;
  /** The same for several wallets, in their order and all from one state of the data. */
  reputations(wallets: readonly Wallet[]): MaybePromise<readonly (Reputation | undefined)[]>;
  badgeLists(wallets: readonly Wallet[]): MaybePromise<readonly (BadgeList | undefined)[]>;
  leaderboard(query: LeaderboardQuery): MaybePromise<LeaderboardPage>;
  /**
   * Who has a badge, newest first; undefined if no badge has the id.
   * @throws UserError `route-not-found` where the source can't tell
   */
  badgeHolders(query: BadgeHoldersQuery): MaybePromise<BadgeHolders | undefined>;
  /**
   * How many users have at least each of these scores.
   * @throws UserError `route-not-found` where the source can't tell
   */
  countFrom(scores: readonly number[]): MaybePromise<readonly number[]>;
  /**
   * Wallets by the points they gained in that many days (UTC), today included, most first. What a day gave is
   * what the live rules give for its activities now, so that other rules are no gain. It may be some moments
   * behind the revision; undefined until it has been worked out once. Missing where the source can't tell.
   */
  gainers?: ((query: GainersQuery) => MaybePromise<GainersPage | undefined>) | undefined;
  /** What each of these wallets gained, as above; 0 for one that gained nothing. */
  gains?:
    | ((
        wallets: readonly Wallet[],
        days: PeriodDays,
      ) => MaybePromise<readonly number[] | undefined>)
    | undefined;
  /**
   * When wallets were first active. It may be behind the revision, as it then says; undefined until
   * it has been counted once.
   * @throws UserError `route-not-found` where the source can't tell
   */
  growth(): MaybePromise<Growth | undefined>;
  /** @param limit 1 to 200 */
  activity(wallet: Wallet, limit: number): MaybePromise<ActivityList | undefined>;
  /**
   * One page of all activities.
   * @throws UserError `cursor-gone` if the wallet doesn't have the activity that the page comes after,
   *   `route-not-found` where the source can't tell
   */
  activities(wallet: Wallet, query: ActivitiesQuery): MaybePromise<ActivityPage | undefined>;
  /**
   * The events of chains that a wallet's activities were given for, by the activity's id. Others,
   * and those of sources that can't tell, are missing.
   */
  chainEvents(
    wallet: Wallet,
    activities: readonly Activity[],
  ): MaybePromise<ReadonlyMap<string, ChainEvent>>;
  stats(): MaybePromise<GlobalStats>;
  /**
   * Wallets a display name means: exact matches, otherwise matches ignoring case; best first, at
   * most 25. A source without name lookup knows the top wallets.
   */
  named(name: string): MaybePromise<readonly LeaderboardEntry[]>;
  /** A wallet's display name, if known. Never throws RetryableError. */
  nameOf(wallet: Wallet): MaybePromise<string | undefined>;
  /**
   * Where a score comes from.
   * @param language code of the rules' titles, where the source can choose; English by default
   * @throws UserError `route-not-found` where the source can't tell
   */
  breakdown(wallet: Wallet, language?: string): MaybePromise<Breakdown | undefined>;
  /** The newest days at most HISTORY_MAX. @throws UserError `route-not-found` as above */
  history(wallet: Wallet, range: DayRange): MaybePromise<ScoreHistory | undefined>;
  /** @throws UserError `route-not-found` as above */
  provenance(): MaybePromise<Provenance>;
}

/** What shows a reading depends on: its data, and what is said about that. */
export function readingKey({ revision, isStale, isPartial }: Reading): string {
  return `${revision}${isStale ? ' stale' : ''}${isPartial === true ? ' partial' : ''}`;
}

/** Pages count from 1. */
export interface Page {
  readonly page: number;
  readonly pages: number;
  /** Items before this page. */
  readonly offset: number;
}

/** The requested page, or the last one if there are fewer. No items make one page. */
export function pageOf(asked: number | undefined, total: number, size: number): Page {
  const pages = Math.max(1, Math.ceil(total / size));
  const page = Math.min(Math.max(1, asked ?? 1), pages);
  return { page, pages, offset: (page - 1) * size };
}

/** Reads the requested page of a list whose length only a page tells; the last one if there are fewer. */
export async function readPage<Found extends { readonly total: number } | undefined>(
  asked: number,
  size: number,
  read: (offset: number) => MaybePromise<Found>,
): Promise<{ readonly found: Found; readonly page: Page }> {
  const found = await read((asked - 1) * size);
  const page = pageOf(asked, found?.total ?? 0, size);
  return { found: page.page === asked ? found : await read(page.offset), page };
}
