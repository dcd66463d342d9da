import type { KeyStore, MaybePromise } from '#base';
import type { InboxStore, WorkStore } from '#cluster';
import type { GateStore } from '#gating';
import type { LedgerWriter } from '#import';
import type { LinkStore } from '#linking';
import type { CardStyleStore } from '#pictures/style';
import type { RoleConnectionStore } from '#platforms/role-connections';
import type { FeedRetention, ReputationSource } from '#reputation';
import type { EvidenceStore, ReadRules, ScoringStore } from '#scoring';
import type { WebhookStore } from '#webhooks';
import type { GainClocks } from './following/counting.ts';

/** A disk that can be read and takes no writes. */
export interface DiskFault {
  readonly is: 'read-only' | 'failing' | 'full';
  /** Whether what is read is in doubt, too: Linux makes a disk read-only when it fails. */
  readonly isFailing: boolean;
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
  /** Reports the disk of a file that this process serves from; a server watches its own. */
  readonly diskFault?: DiskFault | undefined;
}

/**
 * Why scores lack evidence: the rules can't be followed, or a source of theirs can't be read; or
 * some replica reports a failure and none reports success.
 */
export type UnscoredCause = 'rules' | 'sources' | 'peers';

/** What an import needs of a store. */
export type Ledger = Pick<Store, 'openWriter' | 'isServed' | 'close'>;

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
   * @param clocks for tests: by which days begin
   */
  openSource(readRules?: ReadRules, clocks?: GainClocks): Promise<ReputationSource>;
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
