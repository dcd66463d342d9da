import { DAY_SECONDS } from '#base';
import { formatDate, formatMonth } from '#http/pages/public/dates';
import { type GrowthDay, lowestScoreOf, TIERS, type Tier, type TierThresholds } from '#reputation';
import { CHAINS, type Chain } from '#wallet';

/** The start of a range of scores, within one tier. */
export interface ScoreEdge {
  readonly from: number;
  readonly tier: Tier;
}

/** Ranges per tier. */
const PARTS = 4;

/**
 * Ranges of scores, lowest first: four per tier, so that every tier is equally wide. The last range is open.
 */
export function scoreEdges(thresholds: TierThresholds): readonly ScoreEdge[] {
  const tiers = TIERS.toReversed();
  const edges = new Map<number, Tier>();
  let width = 0;
  for (const [i, tier] of tiers.entries()) {
    const from = lowestScoreOf(tier, thresholds);
    const above = tiers[i + 1];
    // The highest tier has no end, so its ranges are as wide as those below it.
    if (above !== undefined) width = (lowestScoreOf(above, thresholds) - from) / PARTS;
    for (let part = 0; part < PARTS; part++) edges.set(Math.round(from + part * width), tier);
  }
  return [...edges].map(([from, tier]) => ({ from, tier }));
}

/** How many wallets there were by the end of a day. */
export interface GrowthPoint {
  readonly day: number;
  readonly wallets: Readonly<Record<Chain, number>>;
  readonly total: number;
}

/** The most rows of a table that people still read. */
const ROWS_MAX = 60;

/** Cumulative sums. */
export function growthPoints(days: readonly GrowthDay[]): GrowthPoint[] {
  const wallets: Record<Chain, number> = { ethereum: 0, solana: 0, algorand: 0 };
  let total = 0;
  return days.map(({ day, joined }) => {
    for (const chain of CHAINS) {
      wallets[chain] += joined[chain];
      total += joined[chain];
    }
    return { day, wallets: { ...wallets }, total };
  });
}

interface Period {
  /** Equal for days of the same period. */
  readonly of: (day: number) => string | number;
  readonly name: (day: number, language: string) => string;
}

/** Smallest first. Weeks begin on Mondays and are named by their Sundays. */
const PERIODS: readonly Period[] = [
  { of: (day) => day, name: nameOfDay },
  { of: weekOf, name: (day, language) => nameOfDay(weekOf(day) * 7 + 3, language) },
  {
    of: (day) => monthOf(day),
    name: (day, language) => formatMonth(day * DAY_SECONDS, language),
  },
  { of: (day) => monthOf(day).slice(0, 4), name: (day) => monthOf(day).slice(0, 4) },
];

/**
 * The last point of each day, week, month or year in which wallets joined, whichever gives few enough rows;
 * newest first.
 * @param until the last day
 */
export function growthRows(
  points: readonly GrowthPoint[],
  until: number,
  language: string,
): (readonly [name: string, point: GrowthPoint])[] {
  let rows: (readonly [string, GrowthPoint])[] = [];
  for (const { of, name } of PERIODS) {
    const last = [...new Map(points.map((point) => [of(point.day), point])).values()];
    // A period that isn't over ends today.
    const ended = (day: number) =>
      of(day) === of(until) ? nameOfDay(until, language) : name(day, language);
    rows = last.map((point) => [ended(point.day), point] as const);
    if (rows.length <= ROWS_MAX) break;
  }
  return rows.toReversed();
}

function nameOfDay(day: number, language: string): string {
  return formatDate(day * DAY_SECONDS, language);
}

function weekOf(day: number): number {
  return Math.floor((day + 3) / 7);
}

/** `2026-11` */
function monthOf(day: number): string {
  return new Date(day * DAY_SECONDS * 1000).toISOString().slice(0, 7);
}
