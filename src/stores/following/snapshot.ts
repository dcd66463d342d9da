import type { MaybePromise } from '#core/maybe-promise';
import type { BadgeRows } from '#stores/define-badges';
import type { BatchName } from './position.ts';

/** How much there is. */
export interface LedgerHead {
  readonly newest: BatchName;
  /** The highest number of a wallet; 0 when there is none. */
  readonly wallets: number;
  /** The newest batch that wrote a badge, or a name. */
  readonly badges: number;
  readonly names: number;
  /** The edition of rules that is live; 0 when none is. */
  readonly edition: number;
  /** The newest change of what rules gave. */
  readonly changes: number;
}

/** What a batch changed of what rules gave one wallet. */
export interface ScoreChangeRow {
  readonly number: number;
  readonly wallet: number;
  /** Differences. */
  readonly points: number;
  readonly activities: number;
  /** Numbers of badges. */
  readonly gained: readonly number[];
  readonly lost: readonly number[];
}

export interface Batch {
  readonly id: number;
  readonly lastSeq: number;
  /** Seconds since 1970. */
  readonly committedAt: number;
}

interface WalletPage {
  readonly count: number;
  /** Number times CHAINS_MAX, plus the chain's place in CHAINS. */
  readonly pairs: ArrayLike<number>;
  readonly addresses: readonly string[];
  /** The highest number. */
  readonly last: number;
}

interface NamePage {
  readonly count: number;
  readonly wallets: ArrayLike<number>;
  readonly names: readonly string[];
  /** Of the last one: the batch that wrote it. */
  readonly revision: number;
  readonly isLast: boolean;
}

/** Rows of the ledger. Those of one wallet in one batch come together. */
interface RowPage {
  readonly count: number;
  readonly seqs: ArrayLike<number>;
  readonly wallets: ArrayLike<number>;
  readonly points: ArrayLike<number>;
  /** 0 for a row that earns none. */
  readonly badges: ArrayLike<number>;
}

/** A ledger as it is at one moment; pages come in the order of their keys. */
export interface LedgerSnapshot {
  readonly head: LedgerHead;
  /** Wallets with higher numbers. */
  wallets(after: number): MaybePromise<WalletPage>;
  /** Badges that were written after a batch, with numbers above one; see `defineBadges`. */
  badges(after: number, above: number): MaybePromise<BadgeRows>;
  /** Names that were written after a batch, or in that batch for wallets with higher numbers. */
  names(afterBatch: number, afterWallet: number): MaybePromise<NamePage>;
  batches(after: number): MaybePromise<readonly Batch[]>;
  /** Wallets and the badges that they lost by corrections of a batch. */
  losses(batch: Batch): MaybePromise<readonly Readonly<Record<string, unknown>>[]>;
  /** Changes of a batch behind one; an empty page is the end. */
  changes(batch: Batch, after: number): MaybePromise<readonly ScoreChangeRow[]>;
  /** Rows behind one, up to another one. */
  rows(after: number, upTo: number): MaybePromise<RowPage>;
}
