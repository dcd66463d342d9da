import { once } from 'node:events';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { DAY_SECONDS, wallSeconds } from '#base';
import { endThread } from '#base/process';
import { within } from '#base/waiting';
import { PERIODS, type PeriodDays } from '#reputation';
import { COUNT_PATIENCE_MS, type GainClocks, inSteps } from '#storage/following/counting';
import type { Follower } from '#storage/following/follow';
import { type ListEnd, listEndOf } from '#storage/following/lists';
import type { LoadedLedger } from '#storage/following/position';
import type { Row } from '#storage/sql/script';
import { CHAINS, type Chain } from '#wallet';
import { type GainBoard, type GainFigures, type RankedGains, rankGains } from './rank-gains.ts';
import type { DaySumRows, TimeSpan } from './rows.ts';

const SMALLEST = 1_024;

/** What was given to each wallet within each of PERIODS, which end on one day, made of sums by day. */
class DaySums {
  /** Shared with the thread that ranks them. */
  readonly #sums: Float64Array<SharedArrayBuffer>[] = PERIODS.map(() => room(SMALLEST));
  /** The first day of each period, since 1970. */
  readonly #firsts: readonly number[];

  /** @param today the last day */
  constructor(today: number) {
    this.#firsts = PERIODS.map((days) => today - days + 1);
  }

  /** Points gained, by wallet number; some wallets may be beyond the end. @param period a place in PERIODS */
  of(period: number): Float64Array {
    return this.#sums[period] as Float64Array;
  }

  /** Adds a row of `wallet`, `day` and `points`; one without a day is about nothing. */
  add({ wallet, day, points }: Row): void {
    if (day === null) return;
    const number = Number(wallet);
    this.#reserve(number);
    for (const [period, first] of this.#firsts.entries()) {
      const sums = this.#sums[period] as Float64Array;
      if (Number(day) >= first) sums[number] = (sums[number] as number) + Number(points);
    }
  }

  /** Takes back all of a wallet. */
  clear(wallet: number): void {
    for (const sums of this.#sums) if (wallet < sums.length) sums[wallet] = 0;
  }

  #reserve(wallet: number): void {
    for (const [period, sums] of this.#sums.entries()) {
      if (wallet < sums.length) return;
      const larger = room(Math.max(wallet + 1, sums.length * 2));
      larger.set(sums);
      this.#sums[period] = larger;
    }
  }
}

function room(wallets: number): Float64Array<SharedArrayBuffer> {
  return new Float64Array(new SharedArrayBuffer(wallets * Float64Array.BYTES_PER_ELEMENT));
}

/** Milliseconds between two counts of a period, however often the data changes. */
const EVERY_MS = 60_000;
/** Wallets whose scores are copied between two yields. */
const COPIED_AT_ONCE = 20_000;
const LONGEST = Math.max(...PERIODS);

/** Sums up to a position, and its progress. */
interface Counted {
  readonly loaded: LoadedLedger;
  /** In days since 1970. */
  readonly today: number;
  readonly imported: DaySums;
  readonly scored: DaySums;
  seq: number;
  change: number;
  /** The score version's last wallet that was read, and the last one to read this way. */
  scoredTo: number;
  readonly scoredLast: number;
}

/** What was counted last, of one period. */
export interface CountedGains {
  readonly loaded: LoadedLedger;
  readonly today: number;
  readonly seq: number;
  readonly change: number;
  /** Seconds since 1970 of the newest commit in it. */
  readonly committedAt: number;
  readonly ranked: RankedGains;
  /** Milliseconds. */
  readonly countedAt: number;
}

/**
 * Counts what wallets gained in the last days, from sums by day. Starts on first use: the first count reads
 * the whole ledger in small steps, and so does that of a new day; later ones only what was added.
 */
export class GainCounter {
  readonly #follower: Follower;
  readonly #rows: DaySumRows;
  readonly #now: () => number;
  readonly #monotonic: () => number;
  #counted: Counted | undefined;
  readonly #shown = new Map<PeriodDays, CountedGains>();
  readonly #running = new Map<PeriodDays, Promise<void>>();
  /** Periods are counted one after another: they have their sums in common. */
  #turn: Promise<void> = Promise.resolve();

  constructor(
    follower: Follower,
    rows: DaySumRows,
    { now = wallSeconds, monotonic = () => performance.now() }: GainClocks = {},
  ) {
    this.#follower = follower;
    this.#rows = rows;
    this.#now = now;
    this.#monotonic = monotonic;
  }

  /**
   * @returns the last count of a period, and whether newer data is still to be counted; undefined during the
   * first one
   * @throws RetryableError
   */
  async latest(
    days: PeriodDays,
  ): Promise<(CountedGains & { readonly isBehind: boolean }) | undefined> {
    if (!this.#isRecent(days)) await within(this.#count(days), COUNT_PATIENCE_MS);
    const counted = this.#shown.get(days);
    if (counted?.loaded !== this.#follower.shown) return undefined;
    return { ...counted, isBehind: !this.#isCurrent(counted) };
  }

  get #today(): number {
    return Math.floor(this.#now() / DAY_SECONDS);
  }

  #isCurrent({ loaded, today, seq, change }: CountedGains): boolean {
    const { position } = loaded;
    return today === this.#today && seq === position.seq && change === position.change;
  }

  #isRecent(days: PeriodDays): boolean {
    const counted = this.#shown.get(days);
    if (counted === undefined || counted.loaded !== this.#follower.shown) return false;
    if (this.#isCurrent(counted)) return true;
    return counted.today === this.#today && this.#monotonic() - counted.countedAt < EVERY_MS;
  }

  #count(days: PeriodDays): Promise<void> {
    const underway = this.#running.get(days);
    if (underway !== undefined) return underway;
    const running = this.#turn
      .then(() => this.#run(days))
      .finally(() => this.#running.delete(days));
    this.#running.set(days, running);
    this.#turn = running.catch(() => undefined);
    return running;
  }

  /** Counts up to the position at the start, and ranks a period. */
  async #run(days: PeriodDays): Promise<void> {
    const loaded = this.#follower.shown;
    const end = listEndOf(loaded.position);
    const { committedAt } = loaded.position;
    const today = this.#today;
    let counted = this.#counted;
    // Nobody sees those of another ledger, which they'd keep in memory.
    if (counted?.loaded !== loaded) this.#shown.clear();
    if (counted?.loaded !== loaded || counted.today !== today) counted = begun(loaded, today, end);
    this.#counted = counted;
    let own = counted;
    await inSteps(async () => {
      const step = await this.#step(own, end);
      // The ledger was reloaded: wallets may have other numbers, and points.
      if (this.#follower.shown !== loaded) return true;
      if (step === 'lost') {
        own = begun(loaded, today, end);
        this.#counted = own;
      }
      return step === 'done';
    });
    if (this.#follower.shown !== loaded) return;
    const ranked = await rank(own, days);
    const { seq, change } = end;
    const countedAt = this.#monotonic();
    this.#shown.set(days, { loaded, today, seq, change, committedAt, ranked, countedAt });
  }

  /** @returns `lost` if some changes were deleted before they were counted */
  async #step(counted: Counted, end: ListEnd): Promise<'more' | 'done' | 'lost'> {
    const { step } = this.#rows;
    const { today, imported, scored, scoredLast } = counted;
    const span = spanOf(today);
    if (counted.seq < end.seq) {
      const to = Math.min(end.seq, counted.seq + step.rows);
      for (const row of await this.#rows.imported(counted.seq, to, span, end)) imported.add(row);
      counted.seq = to;
      return 'more';
    }
    if (end.edition === 0) return 'done';
    if (counted.scoredTo < scoredLast) {
      const to = Math.min(scoredLast, counted.scoredTo + step.wallets);
      const rows = await this.#rows.scored(counted.scoredTo, to, span, end);
      for (let wallet = counted.scoredTo + 1; wallet <= to; wallet++) scored.clear(wallet);
      for (const row of rows) scored.add(row);
      counted.scoredTo = to;
      return 'more';
    }
    if (counted.change >= end.change) return 'done';
    const to = Math.min(end.change, counted.change + step.wallets);
    const rows = await this.#rows.changed(counted.change, to, span, end);
    // Changes are numbered without gaps, and the oldest are deleted.
    if (Number(rows[0]?.n ?? 0) !== to - counted.change) return 'lost';
    replace(scored, rows);
    counted.change = to;
    return 'more';
  }
}

/** The place of a board of a chain, or of all. */
export function boardOf({ boards }: RankedGains, chain: Chain | 'all'): GainBoard {
  return boards[chain === 'all' ? 0 : 1 + CHAINS.indexOf(chain)] ?? [];
}

function spanOf(today: number): TimeSpan {
  return {
    from: (today - LONGEST + 1) * DAY_SECONDS,
    until: (today + 1) * DAY_SECONDS,
  };
}

function begun(loaded: LoadedLedger, today: number, end: ListEnd): Counted {
  return {
    ...{ loaded, today, seq: 0, scoredTo: 0 },
    imported: new DaySums(today),
    scored: new DaySums(today),
    // All wallets are read as of this change, or a later one.
    change: end.change,
    scoredLast: end.edition === 0 ? 0 : loaded.position.wallets,
  };
}

function replace(sums: DaySums, rows: readonly Row[]): void {
  for (const { wallet } of rows) sums.clear(Number(wallet));
  for (const row of rows) sums.add(row);
}

async function rank({ loaded, imported, scored }: Counted, days: PeriodDays): Promise<RankedGains> {
  const { standings, position } = loaded;
  const scores = new Float64Array(position.wallets + 1);
  const chains = new Uint8Array(scores.length);
  for (let wallet = 1; wallet < scores.length; wallet++) {
    if (standings.has(wallet)) {
      scores[wallet] = standings.score(wallet);
      chains[wallet] = CHAINS.indexOf(standings.chain(wallet));
    }
    if (wallet % COPIED_AT_ONCE === 0) await yieldToEventLoop();
  }
  const period = PERIODS.indexOf(days);
  return await rankInWorker({
    ...{ imported: imported.of(period), scored: scored.of(period), scores, chains },
    chainCount: CHAINS.length,
  });
}

/** Ranking fewer wallets takes less time than starting a thread. */
const FEW = 10_000;
const LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 };

/**
 * Ranks gains off the serving thread, unless that takes no time. Scores and chains are handed over: the caller
 * can't use them afterwards.
 */
export async function rankInWorker(figures: GainFigures): Promise<RankedGains> {
  const { scores, chains } = figures;
  if (scores.length <= FEW) return rankGains(figures);
  const worker = new Worker(new URL('./rank-worker.ts', import.meta.url), {
    name: 'gains',
    workerData: figures,
    transferList: [scores.buffer as ArrayBuffer, chains.buffer as ArrayBuffer],
    resourceLimits: LIMITS,
  });
  // Nobody waits for a board at the end of a process.
  worker.unref();
  try {
    const [ranked] = (await once(worker, 'message')) as [RankedGains];
    return ranked;
  } finally {
    await endThread(worker);
  }
}
