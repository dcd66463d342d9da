import { dayOf } from '#base';
import type { ScoreVersionRow, WalletScore } from '#scoring';
import type { Row } from '#storage/sql/script';

/** Daily sums are stored for wallets with more rows than this; for others they're computed on demand. */
const SUMMED_ABOVE = 500;

/** What every store does with the results of rules. */

/** A row of a score version as stored. */
export interface StoredRow extends ScoreVersionRow {
  readonly wallet: number;
  /** The change that added it. */
  readonly born: number;
}

/** A row of `scored`. @param badges ids by number */
export function storedRowOf(row: Row, badges: ReadonlyMap<number, string>): StoredRow {
  return {
    wallet: Number(row.wallet),
    id: String(row.id),
    origin: String(row.origin),
    type: String(row.type),
    description: String(row.description),
    points: Number(row.points),
    timestamp: Number(row.timestamp),
    badge: row.badge === null ? undefined : badges.get(Number(row.badge)),
    born: Number(row.born),
  };
}

/** Rows of `scored_badge`: when each badge was earned. @param badges ids by number */
export function earnedOf(
  rows: readonly Row[],
  badges: ReadonlyMap<number, string>,
): ReadonlyMap<string, number> {
  return new Map(
    rows.map((row) => [badges.get(Number(row.badge)) ?? '', Number(row.earned_at)] as const),
  );
}

/** What is stored about a wallet, besides its rows. */
interface KeptSums {
  readonly points: number;
  readonly activities: number;
}

/** How a write changes one wallet. */
export interface ScoreChange {
  readonly score: WalletScore;
  readonly added: readonly ScoreVersionRow[];
  readonly gone: readonly StoredRow[];
  readonly sums: KeptSums;
  /** The resulting differences. */
  readonly points: number;
  readonly activities: number;
  /** Whether anything is kept of it that may have to go. */
  readonly wasScored: boolean;
  /** Ids. */
  readonly gained: readonly string[];
  readonly lost: readonly string[];
  /** Whether anything visible changes: one of the above, or the time of a badge that it keeps. */
  readonly isVisible: boolean;
}

/** Compares a wallet's new results with the stored ones. */
export function planScoreChange(
  score: WalletScore,
  kept: readonly StoredRow[],
  badges: ReadonlyMap<string, number>,
): ScoreChange {
  const known = new Map(kept.map((row) => [row.id, row]));
  const added: ScoreVersionRow[] = [];
  const stays = new Set<string>();
  for (const row of score.rows) {
    const before = known.get(row.id);
    if (before !== undefined && isSameRow(before, row)) stays.add(row.id);
    else added.push(row);
  }
  const gone = kept.filter(({ id }) => !stays.has(id));
  const points = sumOf(score.rows) - sumOf(kept);
  const held = new Map(score.badges);
  const gained = [...held.keys()].filter((id) => !badges.has(id));
  const lost = [...badges.keys()].filter((id) => !held.has(id));
  const isEarnedAnew = [...held].some(([id, at]) => badges.has(id) && badges.get(id) !== at);
  return {
    ...{ score, added, gone, gained, lost, points },
    sums: { points: sumOf(score.rows), activities: score.rows.length },
    activities: score.rows.length - kept.length,
    wasScored: kept.length > 0 || badges.size > 0,
    isVisible: added.length + gone.length + gained.length + lost.length > 0 || isEarnedAnew,
  };
}

/** Points by day since 1970-01-01, to be stored; empty if there are few rows. */
export function dailySums({ rows }: WalletScore): ReadonlyMap<number, number> {
  const sums = new Map<number, number>();
  if (rows.length <= SUMMED_ABOVE) return sums;
  for (const { timestamp, points } of rows) {
    const day = dayOf(timestamp);
    sums.set(day, (sums.get(day) ?? 0) + points);
  }
  return sums;
}

function sumOf(rows: readonly ScoreVersionRow[]): number {
  return rows.reduce((sum, { points }) => sum + points, 0);
}

function isSameRow(one: ScoreVersionRow, other: ScoreVersionRow): boolean {
  return (
    one.points === other.points &&
    one.timestamp === other.timestamp &&
    one.description === other.description &&
    one.type === other.type &&
    one.badge === other.badge &&
    one.origin === other.origin
  );
}
