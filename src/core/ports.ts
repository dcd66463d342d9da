import type { ActivityColumns } from './activity-columns.ts';
import type { BadgeDefinition } from './badge.ts';
import type { Chain } from './chain.ts';
import type { GateStore } from './gating/store.ts';
import type { RefusalCode } from './import/refusal.ts';
import type { ImportedEvent } from './imported-event.ts';
import type { LedgerActivity, LedgerCorrection } from './ledger-activity.ts';
import type { RoleConnectionStore } from './linked-roles/store.ts';
import type { LinkStore } from './links/store.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type {
  ActivityList,
  BadgeList,
  Breakdown,
  GlobalStats,
  LeaderboardEntry,
  LeaderboardPage,
  Provenance,
  Reputation,
  ScoreHistory,
} from './records.ts';
import type { KeptRules } from './scoring/editions/edition.ts';
import type { ScoringStore } from './scoring/editions/store.ts';
import type { DayRange } from './scoring/history.ts';
import type { RuleSet } from './scoring/model.ts';
import type { EvidenceStore } from './scoring/reading/store.ts';
import type { Wallet } from './wallet.ts';
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

/**
 * Who waits for the answer: a member of a chat; a visitor, of whom there may be any number; nobody. What
 * an outside source allows is never all spent on the latter two.
 */
export type Urgency = 'interactive' | 'visitor' | 'background';

/** What every adapter asks. */
export interface ReputationSource {
  /** Begins a question, which may take several answers. */
  reading(urgency?: Urgency): Reading;
  /**
   * The wallet that this text names, if it is held and can be told from the text alone; undefined
   * says nothing. What is held was checked when it came in, so a caller may skip parsing and its
   * checksums; a text whose own checksum is wrong is never recognised.
   */
  recognise(text: string): Wallet | undefined;
  /** Whether there is a badge with this id; undefined, or no such method, where that can't be told. */
  knowsBadge?(id: string): boolean | undefined;
}

/**
 * One question put to a source: its answers, and where they came from so far. `undefined` as an
 * answer means: no activity of this wallet was ever seen. Throws RetryableError when the answer
 * can't be had now; it never answers with less than it knows.
 */
export interface Reading {
  /**
   * Names the state of the data that the last answer came from. Two answers to one question under
   * one revision are equal, so it serves as their ETag.
   */
  readonly revision: string;
  /**
   * Seconds since 1970 of the newest data that the answers show, of several answers the oldest;
   * undefined when there is none.
   */
  readonly asOf: number | undefined;
  /** Whole seconds since what was answered was known to be so, of several answers the most. */
  readonly ageSeconds: number;
  /** Whether there may be newer data than the answers show, or they are in doubt. */
  readonly isStale: boolean;
  reputation(wallet: Wallet): MaybePromise<Reputation | undefined>;
  badges(wallet: Wallet): MaybePromise<BadgeList | undefined>;
  leaderboard(query: LeaderboardQuery): MaybePromise<LeaderboardPage>;
  /** @param limit 1 to 200 */
  activity(wallet: Wallet, limit: number): MaybePromise<ActivityList | undefined>;
  stats(): MaybePromise<GlobalStats>;
  /**
   * Wallets that a display name means: those spelt exactly so, else those that differ in case alone;
   * the best first, at most 25. A source that can't look names up knows the best wallets'.
   */
  named(name: string): MaybePromise<readonly LeaderboardEntry[]>;
  /** The display name of a wallet, where it has one that is known. Never throws RetryableError. */
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

/** Things to go into the ledger. Later entries win over earlier ones. */
export interface LedgerBatch {
  readonly badges: readonly BadgeDefinition[];
  readonly names: readonly { readonly wallet: Wallet; readonly displayName: string }[];
  readonly activities: readonly LedgerActivity[];
  /** Evidence that rules are folded over; the earlier of two that differ stays. */
  readonly events?: readonly ImportedEvent[];
}

export interface LedgerCommit {
  /** Rows that are new in the ledger: activities, and adjustments of corrections. */
  readonly added: number;
  /** Activities and corrections that the ledger had already. */
  readonly known: number;
  /** Those that it does not take; not there when it took all. */
  readonly refused?: readonly LedgerRefusal[];
  /** Not there when no events were staged. */
  readonly events?: EventCommit;
}

/** What became of the events of a commit. */
export interface EventCommit {
  readonly added: number;
  readonly known: number;
  /** By their places among the events that were staged. */
  readonly refused: readonly LedgerRefusal[];
}

/** One of the things that were staged, which the ledger does not take. */
export interface LedgerRefusal {
  /** Among the activities that were staged since the last commit, then the corrections. */
  readonly place: number;
  readonly code: RefusalCode;
  /** For people. */
  readonly reason: string;
}

/** The only way into the ledger. */
export interface LedgerWriter {
  /** Ids of all badges that the ledger knows now. */
  knownBadges(): MaybePromise<Set<string>>;
  /** Takes things for the next commit; they are in memory until then. */
  stage(part: LedgerBatch): MaybePromise<void>;
  /** The same for activities in columns, where a writer keeps them so anyway. */
  stageColumns?(activities: ActivityColumns): MaybePromise<void>;
  /**
   * Takes corrections for the next commit, of activities that were committed before. Of several that
   * correct the same one the last holds.
   */
  stageCorrections(corrections: readonly LedgerCorrection[]): MaybePromise<void>;
  /** What the ledger would not take now; writes nothing. */
  compare(
    activities: readonly LedgerActivity[],
    corrections: readonly LedgerCorrection[],
  ): MaybePromise<readonly LedgerRefusal[]>;
  /** Which events differ from those that are known; writes nothing. */
  compareEvents(events: readonly ImportedEvent[]): MaybePromise<readonly LedgerRefusal[]>;
  /**
   * Writes everything that was staged, in one transaction: whole or not at all.
   * @throws RetryableError when the store is locked or its disk is full; all of it stays staged, so
   *   that committing again tries again. UserError `commits-lost` when what was committed before is
   *   gone. After any other error what was staged is gone.
   */
  commit(): MaybePromise<LedgerCommit>;
  /**
   * To be called after the last commit: makes sure that all that was committed is still there.
   * @throws UserError `commits-lost`, after a failover for example; RetryableError when it can't be told now
   */
  confirm(): MaybePromise<void>;
  /** To be called in the end: settles what was left for later, and closes the writer. */
  finish(): MaybePromise<void>;
}

/** An API key as it is kept: never the key itself. */
export interface ApiKey {
  readonly id: string;
  readonly label: string;
  /** Who holds it: `cli`, or a chat account such as `discord:1234`. */
  readonly owner: string;
  /** Seconds since 1970. */
  readonly createdAt: number;
  readonly revokedAt: number | undefined;
}

export interface KeyStore {
  /** @param hash SHA-256 of the key, 64 hex digits. @returns a live key, or undefined */
  findByHash(hash: string): MaybePromise<ApiKey | undefined>;
  /**
   * @param liveLimit the most live keys that the owner may have after this one; checked in the same transaction
   * @throws UserError `key-limit`
   */
  add(key: { label: string; owner: string; hash: string }, liveLimit: number): MaybePromise<ApiKey>;
  /** All keys, oldest first; those of one owner if given. */
  list(owner?: string): MaybePromise<ApiKey[]>;
  /** @throws UserError `key-not-found` (also for another owner's key, if an owner is given) */
  revoke(id: string, owner?: string): MaybePromise<void>;
}

/** Figures of a store for its operator. */
export interface StoreFigures {
  readonly wallets: number;
  readonly activities: number;
  /** Seconds since the source showed all that was committed; 0 for the first few. */
  readonly lagSeconds: number;
  /** Whether what the source shows may be wrong, and is being loaded anew. */
  readonly isStuck: boolean;
  /** Size on disk, with its log; 0 in memory. */
  readonly bytes: number;
  /** Seconds since 1970 of the newest import; undefined when there was none. */
  readonly lastImportAt: number | undefined;
}

/** Reads rules that a store has kept; undefined where this program can't. */
export type ReadRules = (kept: KeptRules) => RuleSet | undefined;

/** A store that is open. */
export interface Store {
  /** Whether replicas on other machines may have it open too. */
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
  /** Whether a process of this machine, this one or another, serves from the data. */
  isServed(): boolean;
  readonly keys: KeyStore;
  readonly links: LinkStore;
  readonly gating: GateStore;
  readonly connections: RoleConnectionStore;
  readonly scoring: ScoringStore;
  readonly evidence: EvidenceStore;
  readonly work: WorkStore;
  readonly inbox: InboxStore;
  /** Shows what was written through this very process at once, rather than at the next look. */
  refresh(): Promise<void>;
  figures(): StoreFigures;
  /** Throws when the store can't answer now; the message says what to do. */
  check(): MaybePromise<void>;
  close(): MaybePromise<void>;
}
