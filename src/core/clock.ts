/**
 * Milliseconds since an unknown moment, by a clock that nobody sets. For every wait, lease, deadline,
 * age and rate.
 */
export function monotonicMs(): number {
  return performance.now();
}

/**
 * Milliseconds since 1970, by a clock that may be set at any time, either way. For what is told or
 * stored as a date, and for what others have dated.
 */
export function wallMs(): number {
  return Date.now();
}

/** Seconds since 1970; see `wallMs`. */
export function wallSeconds(): number {
  return Math.floor(wallMs() / 1000);
}

/** More than two readings of the clocks can be apart by, in milliseconds. */
const STEP_MS = 1_000;

/** Dates moments of the monotonic clock, so that one moment has one date until the clock is set. */
export class MonotonicDates {
  readonly #wall: () => number;
  #offset = 0;

  constructor(wall: () => number) {
    this.#wall = wall;
  }

  /**
   * @param moment of the monotonic clock
   * @param now by that clock
   * @returns milliseconds since 1970
   */
  dateOf(moment: number, now: number): number {
    const offset = this.#wall() - now;
    if (Math.abs(offset - this.#offset) > STEP_MS) this.#offset = offset;
    return moment + this.#offset;
  }
}

interface Step {
  /** The date before it. */
  readonly at: number;
  readonly by: number;
}

/** Steps that are remembered; a clock that is set more often is set by nobody. */
const MOST_STEPS = 100;

/**
 * Tells the date, and how much time has passed between two of its dates: less than lies between
 * them where the clock was set forward meanwhile, as far as this process has seen. A wait that is
 * noted by dates, since it must outlast the process, is then not over before its time. In seconds.
 */
export class SteppedClock {
  readonly #wall: () => number;
  readonly #monotonic: () => number;
  /** Forward, oldest first. */
  #steps: Step[] = [];
  #seen: number;
  #offset: number;

  constructor(wall: () => number = wallMs, monotonic: () => number = monotonicMs) {
    this.#wall = wall;
    this.#monotonic = monotonic;
    this.#seen = wall();
    this.#offset = this.#seen - monotonic();
  }

  /** Seconds since 1970. */
  now(): number {
    return Math.floor(this.#look() / 1000);
  }

  /** Seconds between two dates; below 0 where the first one comes later. */
  elapsed(from: number, to: number): number {
    this.#look();
    const stepped = this.#steps
      .filter(({ at }) => from <= at && at < to)
      .reduce((sum, { by }) => sum + by, 0);
    return to - from - stepped;
  }

  #look(): number {
    const wall = this.#wall();
    const offset = wall - this.#monotonic();
    const by = (offset - this.#offset) / 1000;
    if (by * 1000 > STEP_MS) this.#stepForward({ at: this.#seen / 1000, by });
    else if (by * 1000 < -STEP_MS) this.#stepBack(-by);
    this.#offset = offset;
    this.#seen = wall;
    return wall;
  }

  #stepForward(step: Step): void {
    this.#steps.push(step);
    if (this.#steps.length > MOST_STEPS) this.#steps.shift();
  }

  /** What is set back undoes what was set forward before. */
  #stepBack(by: number): void {
    let left = by;
    for (let last = this.#steps.pop(); last !== undefined; last = this.#steps.pop()) {
      if (last.by > left) {
        this.#steps.push({ at: last.at, by: last.by - left });
        return;
      }
      left -= last.by;
    }
  }
}

/** How much time has passed between two dates, in seconds; see `SteppedClock`. */
export type Elapsed = (from: number, to: number) => number;

/** Where no clock is set. */
export const unadjustedElapsed: Elapsed = (from, to) => to - from;
