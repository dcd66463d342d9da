import { DAY_SECONDS, dayOf, monotonicMs, SettledClock, wallMs } from '#base';

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
