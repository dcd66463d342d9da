import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { MaybePromise } from '#base';
import type { BadgeDefinition, BadgeTier } from '#reputation';
import type { NumberedBadge, Standings } from '#reputation/standings';
import type { Row } from '#storage/sql/script';
import type { BatchName } from './position.ts';

/** How much data there is. */
export interface LedgerHead {
  readonly newest: BatchName;
  /** The highest wallet number; 0 if there is none. */
  readonly wallets: number;
  /** The newest batch that wrote a badge, or a name. */
  readonly badges: number;
  readonly names: number;
  /** The live version of the rules; 0 if there is none. */
  readonly edition: number;
  /** The newest change of what rules granted. */
  readonly changes: number;
}

export interface Batch extends BatchName {
  readonly lastSeq: number;
  /** Seconds since 1970. */
  readonly committedAt: number;
}

interface WalletPage {
  readonly count: number;
  /** Number times CHAINS_MAX, plus the chain's index in CHAINS. */
  readonly pairs: ArrayLike<number>;
  readonly addresses: readonly string[];
  /** The highest number. */
  readonly last: number;
}

interface NamePage {
  readonly count: number;
  readonly wallets: ArrayLike<number>;
  readonly names: readonly string[];
  /** The batch that wrote the last one. */
  readonly revision: number;
  readonly isLast: boolean;
}

/** Ledger rows. Those of one wallet in one batch are adjacent. */
export interface RowPage {
  readonly count: number;
  readonly seqs: ArrayLike<number>;
  readonly wallets: ArrayLike<number>;
  readonly points: ArrayLike<number>;
  /** 0 for a row that earns none. */
  readonly badges: ArrayLike<number>;
  /** Seconds since 1970. */
  readonly timestamps: ArrayLike<number>;
}

/** An award: numbers of wallet and badge, and when it was earned, in seconds since 1970. */
export type AwardRow = readonly [wallet: number, badge: number, earnedAt: number];

interface AwardPage {
  /** A badge earned both by an import and by a rule comes twice. */
  readonly awards: readonly AwardRow[];
  /** The newest batch at that time; more recent than the head where reading sees no snapshot. */
  readonly newest: number;
}

/** How a batch changed what rules grant, a row per wallet. */
interface ScoreChangePage {
  readonly count: number;
  readonly numbers: ArrayLike<number>;
  readonly wallets: ArrayLike<number>;
  /** Deltas. */
  readonly points: ArrayLike<number>;
  readonly activities: ArrayLike<number>;
  /** Numbers of badges, such as `3,17`. */
  readonly gained: readonly string[];
  readonly lost: readonly string[];
}

/** A ledger as of one moment; pages are ordered by key. */
export interface LedgerSnapshot {
  readonly head: LedgerHead;
  /** Wallets with higher numbers. */
  wallets(after: number): MaybePromise<WalletPage>;
  /** Badges written after a batch, with numbers above the given one; see `defineBadges`. */
  badges(after: number, above: number): MaybePromise<BadgeRows>;
  /** Names written after a batch, or in that batch for wallets with higher numbers. */
  names(afterBatch: number, afterWallet: number): MaybePromise<NamePage>;
  batches(after: number): MaybePromise<readonly Batch[]>;
  /** A batch's corrections behind a ledger row: rows of `seq`, `wallet` and `lost`, a badge or null. */
  corrected(batch: Batch, after: number): MaybePromise<readonly Row[]>;
  /** All awards of wallets, by imports and by the head's score version. */
  awards(wallets: readonly number[]): MaybePromise<AwardPage>;
  /** A batch's changes after the given one; an empty page is the end. */
  changes(batch: Batch, after: number): MaybePromise<ScoreChangePage>;
  /** Rows after the first number, up to the second. */
  rows(after: number, upTo: number): MaybePromise<RowPage>;
}

/** Rows of `badge` per page; a page takes a few milliseconds at most. */
export const BADGES_A_PAGE = 500;

export type BadgeRows = readonly Readonly<Record<string, unknown>>[];

/** @returns the next badges with higher numbers, in order, at most BADGES_A_PAGE */
type ReadPage = (above: number) => MaybePromise<BadgeRows>;

/**
 * Reads badges page by page, as of one moment, and shows them all at once.
 * @returns the newest batch that wrote any of them; 0 if there are none
 */
export async function defineBadges(standings: Standings, readPage: ReadPage): Promise<number> {
  const draft = standings.draftBadges();
  let revision = 0;
  let rows: BadgeRows;
  let above = 0;
  do {
    rows = await readPage(above);
    if (rows.length === 0) break;
    draft.define(rows.map((row): NumberedBadge => [Number(row.number), badgeOf(row)]));
    for (const row of rows) {
      above = Math.max(above, Number(row.number));
      revision = Math.max(revision, Number(row.revision));
    }
    await yieldToEventLoop();
  } while (rows.length === BADGES_A_PAGE);
  if (revision > 0) standings.useBadges(draft);
  return revision;
}

/** Parses a row of the table `badge`. */
function badgeOf(row: Record<string, unknown>): BadgeDefinition {
  return {
    id: String(row.id),
    name: String(row.name),
    description: String(row.description),
    tier: String(row.tier) as BadgeTier,
    imageUrl: String(row.image_url),
    soulbound: row.soulbound === 1,
  };
}
