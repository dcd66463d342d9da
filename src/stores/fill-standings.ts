import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { MaybePromise } from '#core/maybe-promise';
import type { Standings } from '#core/standings/standings';
import { readIntegers, unpair } from './packed.ts';

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
export interface PackedWallets {
  /** Number times CHAINS_MAX, plus the chain's index in CHAINS. */
  readonly wallets: Packed;
  readonly points: Packed;
  readonly activities: Packed;
  readonly updated: Packed;
  /** Each followed by TEXT_END. */
  readonly addresses: Uint8Array | null;
}

/** Wallets ordered by address. */
export interface PackedOrder {
  readonly ids: Packed;
  /** The last wallet's address. */
  readonly last: string | null;
}

/** A read model to read once, as of one moment. */
export interface PackedReadModel {
  /** The highest wallet number; 0 if there is none. */
  readonly highest: number;
  /** Number of wallets. */
  readonly count: number;
  /** Wallets with numbers above `from`, up to `to`. */
  wallets(from: number, to: number): MaybePromise<PackedWallets>;
  /** @returns wallet times BADGES_MAX plus badge, and their count */
  awards(from: number, to: number): MaybePromise<{ readonly awards: Packed; readonly n: number }>;
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

async function fillWallets(standings: Standings, model: PackedReadModel): Promise<void> {
  const rows = {
    ids: new Uint32Array(STEP),
    chains: new Uint8Array(STEP),
    points: new Float64Array(STEP),
    activities: new Uint32Array(STEP),
    updatedAt: new Uint32Array(STEP),
  };
  const pairs = new Float64Array(STEP);
  for (let from = 0; from < model.highest; from += STEP) {
    const step = await model.wallets(from, from + STEP);
    const count = readIntegers(step.wallets ?? NOTHING, pairs);
    unpair(pairs, count, CHAINS_MAX, rows.ids, rows.chains);
    readIntegers(step.points ?? NOTHING, rows.points);
    readIntegers(step.activities ?? NOTHING, rows.activities);
    readIntegers(step.updated ?? NOTHING, rows.updatedAt);
    standings.loadWallets({ ...rows, addresses: step.addresses ?? NOTHING }, count);
    await yieldToEventLoop();
  }
}

async function fillAwards(standings: Standings, model: PackedReadModel): Promise<void> {
  let pairs = new Float64Array(STEP);
  for (let from = 0; from < model.highest; from += STEP) {
    const { awards, n } = await model.awards(from, from + STEP);
    if (n > pairs.length) pairs = new Float64Array(n * 2);
    // Extrapolate from the first wallets; counting them all would take as long as reading them.
    if (from === 0) standings.reserveBadges(Math.ceil((n * model.highest) / STEP));
    readIntegers(awards ?? NOTHING, pairs);
    for (let i = 0; i < n; i++) {
      const pair = pairs[i] as number;
      const wallet = Math.floor(pair / BADGES_MAX);
      standings.addBadge(wallet, pair - wallet * BADGES_MAX);
    }
    await yieldToEventLoop();
  }
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
    filled += readIntegers(step.ids, ordered.subarray(filled));
    last = step.last;
    await yieldToEventLoop();
  }
  return ordered;
}
