import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { MaybePromise } from '#base';
import type { Standings } from '#reputation/standings';

/** Rows per step: their addresses, of up to 58 characters, fill most of an arena segment. */
export const STEP = 65_536;

/**
 * Two numbers are packed into one, because each value costs; these exceed any value of the second.
 */
export const CHAINS_MAX = 8;
export const BADGES_MAX = 2 ** 24;

/** Comma-separated integers; null if there were no rows. */
type Packed = Uint8Array | null;
const NOTHING = new Uint8Array(0);

/** Columns of wallets, all in the same order. */
interface PackedWallets {
  /** Number times CHAINS_MAX, plus the chain's index in CHAINS. */
  readonly wallets: Packed;
  readonly points: Packed;
  readonly activities: Packed;
  readonly updated: Packed;
  /** Each followed by TEXT_END. */
  readonly addresses: Uint8Array | null;
}

/** Wallets ordered by address. */
interface PackedOrder {
  readonly ids: Packed;
  /** The last wallet's address. */
  readonly last: string | null;
}

/** Awards, and their count. */
export interface PackedAwards {
  /** Wallet times BADGES_MAX plus badge. */
  readonly awards: Packed;
  /** When each was earned, in seconds since 1970. */
  readonly times: Packed;
  readonly n: number;
}

/** What the live rules gave, on top of imports. */
export interface PackedScores {
  /** When they went live; wallets that they gave something count as updated then, or later. */
  readonly appliedAt: number;
  /** Wallets with numbers above `from`, up to `to`. */
  sums(
    from: number,
    to: number,
  ): MaybePromise<{
    readonly wallets: Packed;
    readonly points: Packed;
    readonly activities: Packed;
  }>;
  /** When the wallets that changed since did so. */
  updates(
    from: number,
    to: number,
  ): MaybePromise<{ readonly wallets: Packed; readonly updated: Packed }>;
  badges(from: number, to: number): MaybePromise<PackedAwards>;
}

/** A read model to read once, as of one moment. */
export interface PackedReadModel {
  /** The highest wallet number; 0 if there is none. */
  readonly highest: number;
  /** Number of wallets. */
  readonly count: number;
  /** Wallets with numbers above `from`, up to `to`. */
  wallets(from: number, to: number): MaybePromise<PackedWallets>;
  awards(from: number, to: number): MaybePromise<PackedAwards>;
  /** Undefined if no rules are live. */
  readonly scores: PackedScores | undefined;
  /** The next STEP wallets after an address. */
  byAddress(after: string): MaybePromise<PackedOrder>;
}

/**
 * Fills standings whose badges are defined with all wallets and what they earned, and ranks them.
 */
export async function fillStandings(standings: Standings, model: PackedReadModel): Promise<void> {
  standings.reserve(model.highest);
  await fillWallets(standings, model);
  await fillAwards(standings, model);
  standings.rankAll(await walletsByAddress(model));
}

/** The most wallets that a step can have. */
function roomFor({ highest }: PackedReadModel): number {
  return Math.min(STEP, highest);
}

/** A step's wallets, column by column. */
class Columns {
  readonly ids: Uint32Array;
  readonly chains: Uint8Array;
  readonly points: Float64Array;
  readonly activities: Uint32Array;
  readonly updatedAt: Uint32Array;

  constructor(room: number) {
    this.ids = new Uint32Array(room);
    this.chains = new Uint8Array(room);
    this.points = new Float64Array(room);
    this.activities = new Uint32Array(room);
    this.updatedAt = new Uint32Array(room);
  }
}

async function fillWallets(standings: Standings, model: PackedReadModel): Promise<void> {
  const room = roomFor(model);
  const rows = new Columns(room);
  const pairs = new Float64Array(room);
  const add = model.scores && adding(model.scores, rows, room);
  for (let from = 0; from < model.highest; from += STEP) {
    const step = await model.wallets(from, from + STEP);
    const count = readOnce(step.wallets, pairs);
    unpair(pairs, count, CHAINS_MAX, rows.ids, rows.chains);
    readOnce(step.points, rows.points);
    readOnce(step.activities, rows.activities);
    readOnce(step.updated, rows.updatedAt);
    await add?.(from, count);
    standings.loadWallets({ ...rows, addresses: step.addresses ?? NOTHING }, count);
    await yieldToEventLoop();
  }
}

/** @returns adds to the wallets of a step what the rules gave them */
function adding(
  scores: PackedScores,
  { ids, points, activities, updatedAt }: Columns,
  room: number,
) {
  const wallets = new Uint32Array(room);
  const more = new Columns(room);
  /** Where each wallet of the step is. */
  const places = new Uint32Array(room);
  return async (from: number, count: number) => {
    const to = from + STEP;
    for (let i = 0; i < count; i++) places[(ids[i] as number) - from - 1] = i;
    const placeAt = (row: number) => places[(wallets[row] as number) - from - 1] as number;
    const sums = await scores.sums(from, to);
    const given = readIntegers(sums.wallets ?? NOTHING, wallets);
    readIntegers(sums.points ?? NOTHING, more.points);
    readIntegers(sums.activities ?? NOTHING, more.activities);
    more.updatedAt.fill(0);
    for (let row = 0; row < given; row++) {
      const place = placeAt(row);
      points[place] = (points[place] as number) + (more.points[row] as number);
      activities[place] = (activities[place] as number) + (more.activities[row] as number);
      if (more.activities[row] !== 0) more.updatedAt[place] = scores.appliedAt;
    }
    const updates = await scores.updates(from, to);
    const changed = readIntegers(updates.wallets ?? NOTHING, wallets);
    readIntegers(updates.updated ?? NOTHING, more.ids);
    for (let row = 0; row < changed; row++) more.updatedAt[placeAt(row)] = more.ids[row] as number;
    for (let i = 0; i < count; i++) {
      updatedAt[i] = Math.max(updatedAt[i] as number, more.updatedAt[i] as number);
    }
  };
}

async function fillAwards(standings: Standings, model: PackedReadModel): Promise<void> {
  let pairs = new Float64Array(roomFor(model));
  let times = new Float64Array(roomFor(model));
  for (let from = 0; from < model.highest; from += STEP) {
    const to = from + STEP;
    const parts = [await model.awards(from, to)];
    if (model.scores !== undefined) parts.push(await model.scores.badges(from, to));
    const all = parts.reduce((sum, { n }) => sum + n, 0);
    // Extrapolate from the first wallets; counting them all would take as long as reading them.
    if (from === 0) standings.reserveBadges(Math.ceil((all * model.highest) / STEP));
    for (const { awards, times: packedTimes, n } of parts) {
      if (n > pairs.length) {
        pairs = new Float64Array(n * 2);
        times = new Float64Array(n * 2);
      }
      readOnce(awards, pairs);
      readOnce(packedTimes, times);
      for (let i = 0; i < n; i++) {
        const pair = pairs[i] as number;
        const wallet = Math.floor(pair / BADGES_MAX);
        standings.addBadge(wallet, pair - wallet * BADGES_MAX, times[i] as number);
      }
    }
    await yieldToEventLoop();
  }
}

/** @returns how many there are */
function readOnce(packed: Packed, into: Float64Array | Uint32Array): number {
  if (packed === null) return 0;
  const count = readIntegers(packed, into);
  release(packed);
  return count;
}

/** All wallet numbers ordered by address, as the index on addresses has them. */
async function walletsByAddress({ count, byAddress }: PackedReadModel): Promise<Uint32Array> {
  const ordered = new Uint32Array(count);
  let filled = 0;
  let last = '';
  while (filled < count) {
    const step = await byAddress(last);
    if (step.ids === null || step.last === null)
      throw new Error('wallets are missing in the order');
    filled += readOnce(step.ids, ordered.subarray(filled));
    last = step.last;
    await yieldToEventLoop();
  }
  return ordered;
}

/**
 * Parses what a database packs: thousands of values in one text. Passing a row from the database to
 * JavaScript costs far more than parsing it; packed, ten million take seconds.
 */

const COMMA = 44;
const MINUS = 45;
const ZERO = 48;

/** Writes the comma-separated integers of `text` (ASCII) to `into`. @returns how many */
export function readIntegers(text: Uint8Array, into: Float64Array | Uint32Array): number {
  const length = text.length;
  if (length === 0) return 0;
  let count = 0;
  let value = 0;
  let sign = 1;
  for (let i = 0; i < length; i++) {
    const code = text[i] as number;
    if (code === COMMA) {
      into[count++] = sign * value;
      value = 0;
      sign = 1;
    } else if (code === MINUS) sign = -1;
    else value = value * 10 + (code - ZERO);
  }
  into[count++] = sign * value;
  return count;
}

/**
 * Gives the memory of bytes back that nothing reads any more. At a start the collector would let tens of
 * megabytes of such pages wait.
 */
export function release(bytes: Uint8Array): void {
  const { buffer } = bytes;
  // Small ones may share their memory with others.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength) buffer.transfer(0);
}

/** Splits the first `count` pairs, each encoded as `left * unit + right`. */
function unpair(
  pairs: Float64Array,
  count: number,
  unit: number,
  left: Uint32Array,
  right: Uint8Array,
): void {
  for (let i = 0; i < count; i++) {
    const pair = pairs[i] as number;
    const whole = Math.floor(pair / unit);
    left[i] = whole;
    right[i] = pair - whole * unit;
  }
}
