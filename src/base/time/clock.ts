import { DAY_SECONDS, dayOf } from './time.ts';

/**
 * Monotonic milliseconds since an arbitrary moment. For every wait, lease, deadline, age and rate.
 */
export function monotonicMs(): number {
  return performance.now();
}

/**
 * Milliseconds since 1970, by a clock that may be set at any time, either way. For dates that are
 * shown or stored, and for what others have dated.
 */
export function wallMs(): number {
  return Date.now();
}

/** Seconds since 1970; see `wallMs`. */
export function wallSeconds(): number {
  return Math.floor(wallMs() / 1000);
}

/** More milliseconds than two readings of the clocks can differ by. */
const STEP_MS = 1_000;

/** Converts monotonic times to dates, so that one moment keeps one date until the clock is set. */
export class MonotonicDates {
  readonly #wall: () => number;
  #offset = 0;

  constructor(wall: () => number) {
    this.#wall = wall;
  }

  /**
   * @param moment monotonic time
   * @param now monotonic time
   * @returns milliseconds since 1970
   */
  dateOf(moment: number, now: number): number {
    const offset = this.#wall() - now;
    if (Math.abs(offset - this.#offset) > STEP_MS) this.#offset = offset;
    return moment + this.#offset;
  }
}

/** Clocks that are kept in step are moved by less. */
const JUMP_MS = 60_000;
/** How long a jump forward must last before its date counts. */
const HOLD_MS = 3_600_000;

/** A clock that is ahead of the trusted date. */
interface Jump {
  /** Monotonic time since which it has shown the same date. */
  readonly since: number;
  /** Between its date and monotonic time. */
  readonly offset: number;
}

/**
 * The date, by a clock that may jump. For what can't be taken back: a clock that is set far ahead by mistake
 * must not do it, so for an hour the time goes on as if it hadn't been set. To be asked every minute or more often.
 */
export class SettledClock {
  readonly #wall: () => number;
  readonly #monotonic: () => number;
  /** Between the trusted date and monotonic time. */
  #offset: number;
  #jump: Jump | undefined;

  /** @param trusted the date to start from, in milliseconds since 1970; by default what the clock shows */
  constructor(
    wall: () => number = wallMs,
    monotonic: () => number = monotonicMs,
    trusted: number = wall(),
  ) {
    this.#wall = wall;
    this.#monotonic = monotonic;
    this.#offset = trusted - monotonic();
  }

  /** Seconds since 1970. */
  now(): number {
    const now = this.#monotonic();
    const offset = this.#wall() - now;
    if (this.#isTrusted(offset, now)) {
      this.#offset = offset;
      this.#jump = undefined;
    }
    return Math.floor((now + this.#offset) / 1000);
  }

  #isTrusted(offset: number, now: number): boolean {
    if (offset - this.#offset <= JUMP_MS) return true;
    // Set once more: the hour begins again.
    if (this.#jump === undefined || Math.abs(offset - this.#jump.offset) > JUMP_MS)
      this.#jump = { since: now, offset };
    return now - this.#jump.since >= HOLD_MS;
  }
}

/** The current day, by a clock that may be wrong or jump: daily steps can't be taken back. */
export class SettledDay {
  readonly #wall: () => number;
  readonly #monotonic: () => number;
  #clock: SettledClock;
  #isStarted = false;

  constructor(wall: () => number = wallMs, monotonic: () => number = monotonicMs) {
    this.#wall = wall;
    this.#monotonic = monotonic;
    this.#clock = new SettledClock(wall, monotonic);
  }

  /**
   * Compares the clock with the last steps, once: it may be wrong from the start. A date beyond the day after them
   * counts after an hour, as after a jump. Until then no step is taken: every start would take another one.
   * @param last the last day whose steps were taken
   */
  start(last: number): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    if (this.today() <= last + 1) return;
    this.#clock = new SettledClock(this.#wall, this.#monotonic, last * DAY_SECONDS * 1000);
  }

  /** The last midnight, as the day that it begins. */
  today(): number {
    return dayOf(this.#clock.now());
  }

  /** Whether the clock is ahead by a day or more, which doesn't count yet. */
  get isHeld(): boolean {
    return dayOf(Math.floor(this.#wall() / 1000)) > this.today();
  }
}

interface Step {
  /** The date before it. */
  readonly at: number;
  readonly by: number;
}

/** Remembered clock steps; no clock is set more often than that. */
const MOST_STEPS = 100;

/**
 * Tells the date, and the time elapsed between two dates: less than their difference if the clock
 * was set forward in between, as far as this process saw it. So waits stored as dates, as they must
 * outlive the process, don't end early. In seconds.
 */
export class SteppedClock {
  readonly #wall: () => number;
  readonly #monotonic: () => number;
  /** Steps forward, oldest first. */
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

  /** Seconds between two dates; negative if the first is later. */
  elapsed(from: number, to: number): number {
    this.#look();
    const stepped = this.#steps
      .filter(({ at }) => from <= at && at < to)
      .reduce((sum, { by }) => sum + by, 0);
    return to - from - stepped;
  }

  /** The date that was this many seconds ago, however often the clock was set forward since. */
  ago(seconds: number): number {
    let date = this.now() - seconds;
    for (const { at, by } of this.#steps.toReversed()) {
      if (date <= at + by) date -= by;
    }
    return date;
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

  /** A step back undoes earlier steps forward. */
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

/** Seconds elapsed between two dates; see `SteppedClock`. */
export type Elapsed = (from: number, to: number) => number;

/** For clocks that are never set. */
export const unadjustedElapsed: Elapsed = (from, to) => to - from;
