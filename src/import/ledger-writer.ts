import type { MaybePromise } from '#base';
import type {
  ActivityColumns,
  BadgeDefinition,
  ImportedEvent,
  LedgerActivity,
  LedgerCorrection,
} from '#reputation';
import type { Wallet } from '#wallet';
import type { RefusalCode } from './refusal.ts';

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
