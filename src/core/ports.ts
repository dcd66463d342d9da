import type { CardStyleStore } from '#core/card-style/store';
import type { ActivityColumns } from './activity-columns.ts';
import type { BadgeDefinition } from './badge.ts';
import type { Chain } from './chain.ts';
import type { ChangeFeed, FeedPlace, FeedRetention } from './changes.ts';
import type { GateStore } from './gating/store.ts';
import type { RefusalCode } from './import/refusal.ts';
import type { ImportedEvent } from './imported-event.ts';
import type { LedgerActivity, LedgerCorrection } from './ledger-activity.ts';
import type { RoleConnectionStore } from './linked-roles/store.ts';
import type { LinkStore } from './links/store.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type {
  Activity,
  ActivityList,
  ActivityPage,
  BadgeHolders,
  BadgeList,
  Breakdown,
  ChainEvent,
  GlobalStats,
  Growth,
  HolderPlace,
  LeaderboardEntry,
  LeaderboardPage,
  Provenance,
  Reputation,
  ScoreHistory,
} from './records.ts';
import type { ScoringStore } from './scoring/editions/store.ts';
import type { DayRange } from './scoring/history.ts';
import type { RuleSet } from './scoring/model.ts';
import type { EvidenceStore } from './scoring/reading/store.ts';
import type { Wallet } from './wallet.ts';
import type { WebhookStore } from './webhooks/store.ts';
import type { InboxStore } from './work/inbox.ts';
import type { WorkStore } from './work/store.ts';

export type { ImportedEvent } from './imported-event.ts';
export type { LedgerActivity, LedgerCorrection } from './ledger-activity.ts';
export type { MaybePromise } from './maybe-promise.ts';

export interface LeaderboardQuery {
  readonly chain: Chain | 'all';
  /** 1 to 500. */
  readonly limit: number;
  readonly offset: number;
}

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
  /** Whole seconds since the data was known to be current, the most of several results. */
  readonly ageSeconds: number;
  /** Whether newer data may exist, or the results may be wrong. */
  readonly isStale: boolean;
  /** Whether a source of the live rules is still being read, so that scores lack what comes later there. */
  readonly isPartial?: boolean;
  /** Where the results are in the feed of changes; missing where the source can't tell. */
  readonly place?: FeedPlace | undefined;
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

/** Input for the ledger. Later entries win over earlier ones. */
export interface LedgerBatch {
  readonly badges: readonly BadgeDefinition[];
  readonly names: readonly { readonly wallet: Wallet; readonly displayName: string }[];
  readonly activities: readonly LedgerActivity[];
  /** Evidence for the rules; of two that differ the earlier stays. */
  readonly events?: readonly ImportedEvent[];
}

export interface LedgerCommit {
  /** New rows in the ledger: activities, and adjustments of corrections. */
  readonly added: number;
  /** Activities and corrections the ledger already had. */
  readonly known: number;
  /** Rejected entries; missing if all were accepted. */
  readonly refused?: readonly LedgerRefusal[];
  /** Missing if no events were staged. */
  readonly events?: EventCommit;
}

/** The outcome of a commit's events. */
export interface EventCommit {
  readonly added: number;
  readonly known: number;
  /** By their index among the staged events. */
  readonly refused: readonly LedgerRefusal[];
}

/** A staged entry that the ledger rejects. */
export interface LedgerRefusal {
  /** Index among the activities staged since the last commit, then the corrections. */
  readonly place: number;
  readonly code: RefusalCode;
  /** For people. */
  readonly reason: string;
}

/** The only way into the ledger. */
export interface LedgerWriter {
  /** Ids of all badges in the ledger. */
  knownBadges(): MaybePromise<Set<string>>;
  /** Stages input for the next commit; it's in memory until then. */
  stage(part: LedgerBatch): MaybePromise<void>;
  /** The same for activities in columns, for writers that store them so. */
  stageColumns?(activities: ActivityColumns): MaybePromise<void>;
  /** Stages corrections of committed activities. Of several for the same one the last wins. */
  stageCorrections(corrections: readonly LedgerCorrection[]): MaybePromise<void>;
  /** What the ledger would reject now; writes nothing. */
  compare(
    activities: readonly LedgerActivity[],
    corrections: readonly LedgerCorrection[],
  ): MaybePromise<readonly LedgerRefusal[]>;
  /** Which events differ from known ones; writes nothing. */
  compareEvents(events: readonly ImportedEvent[]): MaybePromise<readonly LedgerRefusal[]>;
  /**
   * Writes everything staged in one transaction.
   * @throws RetryableError if the store is locked or its disk is full; everything stays staged, so
   *   commit again to retry. UserError `commits-lost` if earlier commits are gone. After any other
   *   error the staged input is gone.
   */
  commit(): MaybePromise<LedgerCommit>;
  /**
   * Call after the last commit: verifies that all commits are still there.
   * @throws UserError `commits-lost`, for example after a failover; RetryableError if that's
   *   unknown now
   */
  confirm(): MaybePromise<void>;
  /** Call at the end: finishes deferred work and closes the writer. */
  finish(): MaybePromise<void>;
}

/** A stored API key, without the key itself. */
export interface ApiKey {
  readonly id: string;
  readonly label: string;
  /** Its owner: `cli`, or a chat account such as `discord:1234`. */
  readonly owner: string;
  /** Seconds since 1970. */
  readonly createdAt: number;
  readonly revokedAt: number | undefined;
}

export interface KeyStore {
  /** @param hash SHA-256 of the key, 64 hex digits. @returns a live key, or undefined */
  findByHash(hash: string): MaybePromise<ApiKey | undefined>;
  /**
   * @param liveLimit maximum active keys of the owner, including this one; checked in the same
   *   transaction
   * @throws UserError `key-limit`
   */
  add(key: { label: string; owner: string; hash: string }, liveLimit: number): MaybePromise<ApiKey>;
  /** All keys, oldest first; those of one owner if given. */
  list(owner?: string): MaybePromise<ApiKey[]>;
  /** @throws UserError `key-not-found` (also for another owner's key, if an owner is given) */
  revoke(id: string, owner?: string): MaybePromise<void>;
}

/** Statistics of a store for its operator. */
export interface StoreFigures {
  readonly wallets: number;
  readonly activities: number;
  /** Seconds since the source showed all committed data; 0 for the first few. */
  readonly lagSeconds: number;
  /** Whether the source's data may be wrong, and is being reloaded. */
  readonly isStuck: boolean;
  /** Size on disk including its log; 0 in memory. */
  readonly bytes: number;
  /** Seconds since 1970 of the latest import; undefined if there was none. */
  readonly lastImportAt: number | undefined;
}

/** Reads the text of rules that a store has kept, without their lists; undefined where this program can't. */
export type ReadRules = (text: string) => RuleSet | undefined;

/**
 * Why scores lack evidence: the rules can't be followed, or a source of theirs can't be read; or
 * another replica says that one of these is so, and none that it works there.
 */
export type UnscoredCause = 'rules' | 'sources' | 'peers';

/** A store that is open. */
export interface Store {
  /** Whether replicas on other machines can share it. */
  readonly isShared: boolean;
  /**
   * Says that this process serves from the data, until `close`.
   * @throws UserError `wrong-configuration` when the data is for one process, and another one serves
   */
  serve(): void;
  /**
   * Loads the read model and keeps it up to date until `close`.
   * @param readRules for the titles of rules, which are their ids without it
   */
  openSource(readRules?: ReadRules): Promise<ReputationSource>;
  openWriter(): LedgerWriter;
  /** Whether any process on this machine has a source open on the data. */
  isServed(): boolean;
  readonly keys: KeyStore;
  readonly links: LinkStore;
  readonly gating: GateStore;
  readonly cardStyles: CardStyleStore;
  readonly connections: RoleConnectionStore;
  readonly scoring: ScoringStore;
  readonly evidence: EvidenceStore;
  readonly work: WorkStore;
  readonly inbox: InboxStore;
  /**
   * Removes some of the oldest changes that needn't be kept. Does nothing while somebody else is
   * writing.
   * @param now seconds since 1970
   * @returns whether there may be more
   */
  pruneChanges(kept: FeedRetention, now: number): MaybePromise<boolean>;
  readonly webhooks: WebhookStore;
  /** Shows writes of this process immediately, instead of at the next poll. */
  refresh(): Promise<void>;
  /**
   * Whether scores lack evidence: until every cause is over, the source's results are stale.
   * Does nothing before there is a source.
   */
  markUnscored(cause: UnscoredCause, isUnscored: boolean): void;
  /** Whether a source is far from its end, so that the source's results are partial. */
  markPartial(isPartial: boolean): void;
  figures(): StoreFigures;
  /** Throws if the store is unavailable; the message says what to do. */
  check(): MaybePromise<void>;
  close(): MaybePromise<void>;
}
