import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '#base/waiting';
import type { Growth, GrowthDay } from '#reputation';
import type { Follower } from '#storage/following/follow';
import { type ListEnd, listEndOf } from '#storage/following/lists';
import type { LoadedLedger } from '#storage/following/position';
import { readIntegers } from '#storage/packed';
import { GrowthCount } from './count.ts';
import type { GrowthRows, PackedDays } from './rows.ts';
import { DAYS_MAX } from './sql.ts';

/** How long an answer waits for a count. */
const PATIENCE_MS = 1_000;
/** How many times longer than each step to rest, so that other work hardly notices. */
const REST = 2;

/** A count and its progress. */
interface Counted {
  readonly loaded: LoadedLedger;
  readonly count: GrowthCount;
  seq: number;
  change: number;
  /** The edition's last wallet that was read; undefined once all were. */
  scoredTo: number | undefined;
  /** Whether it missed something and must start over. */
  isLost: boolean;
  /** The last complete count, and its position. */
  shown: { readonly days: readonly GrowthDay[]; readonly seq: number; readonly change: number };
}

/**
 * Counts when wallets were first active. Starts on first use: the first count reads the whole ledger in small
 * steps, later ones only what was added.
 */
export class GrowthCounter {
  readonly #follower: Follower;
  readonly #rows: GrowthRows;
  #counted: Counted | undefined;
  #running: Promise<void> | undefined;
  #pairs = new Float64Array(0);

  constructor(follower: Follower, rows: GrowthRows) {
    this.#follower = follower;
    this.#rows = rows;
  }

  /**
   * @returns the growth up to what is shown, or an earlier state while newer data is being counted; undefined
   * during the first count
   * @throws RetryableError
   */
  async growth(): Promise<Growth | undefined> {
    const { shown } = this.#follower;
    if (!this.#isCurrent(shown)) {
      this.#running ??= this.#run(shown).finally(() => {
        this.#running = undefined;
      });
      await within(this.#running, PATIENCE_MS);
    }
    const counted = this.#counted;
    if (counted?.loaded !== this.#follower.shown || counted.shown.seq < 0) return undefined;
    return { days: counted.shown.days, isBehind: !this.#isCurrent(counted.loaded) };
  }

  #isCurrent(loaded: LoadedLedger): boolean {
    const { position } = loaded;
    const { loaded: own, shown } = this.#counted ?? {};
    return own === loaded && shown?.seq === position.seq && shown.change === position.change;
  }

  /** Counts up to the position at the start. */
  async #run(loaded: LoadedLedger): Promise<void> {
    const end = listEndOf(loaded.position);
    if (this.#counted?.loaded !== loaded) this.#counted = begun(loaded, end);
    let isDone = false;
    while (!isDone) {
      const from = performance.now();
      isDone = await this.#step(this.#counted, end);
      // The ledger was reloaded: wallets may have other numbers.
      if (this.#follower.shown !== loaded) return;
      // Some changes were deleted before they were counted.
      if (this.#counted.isLost) this.#counted = begun(loaded, end);
      if (!isDone) await sleep(REST * (performance.now() - from), undefined, { ref: false });
    }
    const { seq, change } = end;
    this.#counted.shown = { days: this.#counted.count.days(), seq, change };
  }

  /** @returns whether it's done */
  async #step(counted: Counted, end: ListEnd): Promise<boolean> {
    return (await this.#addImported(counted, end)) && (await this.#addScored(counted, end));
  }

  /** @returns whether it's done */
  async #addImported(counted: Counted, end: ListEnd): Promise<boolean> {
    if (counted.seq >= end.seq) return true;
    const step = await this.#rows.imported(counted.seq, end);
    this.#each(counted, step, (wallet, day) => counted.count.addImported(wallet, day));
    counted.seq = step.last ?? end.seq;
    return false;
  }

  /** @returns whether it's done */
  async #addScored(counted: Counted, end: ListEnd): Promise<boolean> {
    if (end.edition === 0) return true;
    const set = (wallet: number, day: number) => counted.count.setScored(wallet, day);
    if (counted.scoredTo !== undefined) {
      const step = await this.#rows.scored(counted.scoredTo, end);
      this.#each(counted, step, set);
      counted.scoredTo = step.last;
      return false;
    }
    if (counted.change >= end.change) return true;
    const step = await this.#rows.changed(counted.change, end);
    const last = step.last ?? end.change;
    // Changes are numbered without gaps, and the oldest are deleted.
    counted.isLost = last - counted.change !== step.count;
    this.#each(counted, step, set);
    counted.change = last;
    return false;
  }

  #each(
    { loaded }: Counted,
    { pairs, count }: PackedDays,
    use: (wallet: number, day: number) => void,
  ): void {
    if (pairs === null || this.#follower.shown !== loaded) return;
    if (this.#pairs.length < count) this.#pairs = new Float64Array(count);
    readIntegers(pairs, this.#pairs);
    for (let i = 0; i < count; i++) {
      const pair = this.#pairs[i] as number;
      const wallet = Math.floor(pair / DAYS_MAX);
      use(wallet, pair - wallet * DAYS_MAX);
    }
  }
}

function begun(loaded: LoadedLedger, end: ListEnd): Counted {
  return {
    loaded,
    count: new GrowthCount((wallet) => loaded.standings.chain(wallet)),
    seq: 0,
    // All wallets are read as of this change, or a later one.
    change: end.change,
    scoredTo: 0,
    isLost: false,
    shown: { days: [], seq: -1, change: -1 },
  };
}
