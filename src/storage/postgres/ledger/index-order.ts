import { ACTIVITIES_MAX } from '#import';
import { type ActivityColumns, textAt } from '#reputation';
import { TooManyActivities } from '#storage/corrections';
import { BUSY_ABOVE } from '#storage/tables/ledger';

/** More activities than a commit ever has; wallet numbers have 27 bits. */
const UNIT = 2 ** 25;

/** A commit's activities without duplicates, ordered by wallet and id. */
export interface IndexOrder {
  readonly activities: ActivityColumns;
  /** Each one's index in `activities`. */
  readonly places: Uint32Array;
  /** Each one's wallet. */
  readonly wallets: Uint32Array;
  /** Dropped duplicates, each with the index of the one that was kept. */
  readonly repeated: readonly (readonly [place: number, first: number])[];
}

/**
 * Index neighbours next to each other, so that an index page with many rows of a batch is needed
 * once. Of activities with the same id, the first is kept.
 * @param numbers of the activities' wallets
 */
export function inIndexOrder(activities: ActivityColumns, numbers: Uint32Array): IndexOrder {
  const keys = new Float64Array(numbers.length);
  for (const [place, number] of numbers.entries()) keys[place] = number * UNIT + place;
  keys.sort();
  const places = new Uint32Array(keys.length);
  const wallets = new Uint32Array(keys.length);
  const repeated: [number, number][] = [];
  let count = 0;
  for (let from = 0; from < keys.length; ) {
    const first = keys[from] as number;
    const wallet = Math.floor(first / UNIT);
    const next = (wallet + 1) * UNIT;
    let to = from + 1;
    while (to < keys.length && (keys[to] as number) < next) to++;
    // Most wallets have a single one per batch.
    if (to === from + 1) {
      places[count] = first - wallet * UNIT;
      wallets[count] = wallet;
      count += 1;
    } else {
      const own = Array.from(keys.subarray(from, to), (key) => key - wallet * UNIT);
      for (const place of byId(activities, own, repeated)) {
        places[count] = place;
        wallets[count] = wallet;
        count += 1;
      }
    }
    from = to;
  }
  return {
    activities,
    places: places.subarray(0, count),
    wallets: wallets.subarray(0, count),
    repeated,
  };
}

/** Orders some indexes by id; of duplicates, keeps the first and adds the others to `repeated`. */
function byId(
  { ids }: ActivityColumns,
  places: readonly number[],
  repeated: [number, number][],
): Iterable<number> {
  const own = new Map<string, number>();
  for (const place of places) {
    const id = textAt(ids, place);
    const first = own.get(id);
    if (first === undefined) own.set(id, place);
    else repeated.push([place, first]);
  }
  const sorted = [...own].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([, place]) => place);
}

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
interface BusyRows {
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
