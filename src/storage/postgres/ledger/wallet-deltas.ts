import { ACTIVITIES_MAX } from '#import';
import { TooManyActivities } from '#storage/full-wallets';
import { BUSY_ABOVE } from '#storage/tables/ledger';
import type { IndexOrder } from './index-order.ts';

/** What a commit adds to wallets, in parallel arrays. */
export interface WalletDeltas {
  readonly wallets: number[];
  /** Number of activities that each wallet has now. */
  readonly totals: number[];
  /** How many of them are part of this commit. */
  readonly activities: number[];
  /** Sum of points of these. */
  readonly points: number[];
  /** Index of its first row among the ordered activities. */
  readonly from: number[];
}

/** A badge that a wallet earns by a commit's activities. */
export interface Award {
  readonly wallet: number;
  readonly badge: number;
  earnedAt: number;
  /** Ledger row. */
  readonly seq: number;
}

/**
 * Adds up activities that are ordered by wallet.
 * @param note called with each wallet's first row, number of activities and sum of points
 * @returns what `note` returned: the wallet's new number of activities
 */
export function sumUp(
  { activities: { points }, places, wallets }: IndexOrder,
  note: (first: number, activities: number, points: number) => number,
): WalletDeltas {
  const gains: WalletDeltas = { wallets: [], totals: [], activities: [], points: [], from: [] };
  for (let next = 0; next < wallets.length; ) {
    const from = next;
    let sum = 0;
    for (; next < wallets.length && wallets[next] === wallets[from]; next++) {
      sum += points[places[next] as number] as number;
    }
    gains.wallets.push(wallets[from] as number);
    gains.totals.push(note(from, next - from, sum));
    gains.activities.push(next - from);
    gains.points.push(sum);
    gains.from.push(from);
  }
  return gains;
}

/** @throws TooManyActivities */
export function requireRoom(gains: WalletDeltas): WalletDeltas {
  const full = gains.wallets.filter((_, index) => (gains.totals[index] as number) > ACTIVITIES_MAX);
  if (full.length > 0) throw new TooManyActivities(new Set(full));
  return gains;
}

/**
 * @param seq of the ledger row before the first of the activities
 * @param numbers of the badges that the activities earn, 0 for none
 */
export function awardsOf(
  { activities: { timestamps }, places, wallets }: IndexOrder,
  seq: number,
  numbers: Uint32Array,
): Award[] {
  const awards: Award[] = [];
  /** The wallet's awards by badge. */
  const own = new Map<number, Award>();
  for (const [row, place] of places.entries()) {
    const wallet = wallets[row] as number;
    if (own.size > 0 && wallet !== wallets[row - 1]) own.clear();
    const badge = numbers[place] as number;
    if (badge === 0) continue;
    const earnedAt = timestamps[place] as number;
    const known = own.get(badge);
    if (known === undefined) {
      const award = { wallet, badge, earnedAt, seq: seq + row + 1 };
      own.set(badge, award);
      awards.push(award);
    } else known.earnedAt = Math.min(known.earnedAt, earnedAt);
  }
  return awards;
}

/** Rows of `busy_activity`, in parallel arrays. */
export interface BusyRows {
  readonly wallets: number[];
  readonly timestamps: number[];
  readonly seqs: number[];
}

/**
 * Which activities go into `busy_activity`: all those of wallets that this commit makes busy, the
 * new ones of wallets that were busy before.
 */
export function busyOf(
  { activities: { timestamps }, places }: IndexOrder,
  seq: number,
  gains: WalletDeltas,
): { readonly became: number[]; readonly rows: BusyRows } {
  const became: number[] = [];
  const rows: BusyRows = { wallets: [], timestamps: [], seqs: [] };
  for (const [index, wallet] of gains.wallets.entries()) {
    const total = gains.totals[index] as number;
    if (total <= BUSY_ABOVE) continue;
    const count = gains.activities[index] as number;
    if (total - count <= BUSY_ABOVE) {
      became.push(wallet);
      continue;
    }
    const from = gains.from[index] as number;
    for (let row = from; row < from + count; row++) {
      rows.wallets.push(wallet);
      rows.timestamps.push(timestamps[places[row] as number] as number);
      rows.seqs.push(seq + row + 1);
    }
  }
  return { became, rows };
}
