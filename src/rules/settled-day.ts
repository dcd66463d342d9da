import { monotonicMs, SettledClock, wallMs } from '#core/clock';
import { dayOf } from '#core/scoring/days';

/** The current day, by a clock that may jump: daily steps can't be taken back. */
export class SettledDay {
  readonly #wall: () => number;
  readonly #clock: SettledClock;

  constructor(wall: () => number = wallMs, monotonic: () => number = monotonicMs) {
    this.#wall = wall;
    this.#clock = new SettledClock(wall, monotonic);
  }

  /** The last midnight, as the day that it begins. */
  today(): number {
    return dayOf(this.#clock.now());
  }

  /** Whether the clock has jumped to another day, which doesn't count yet. */
  get isHeld(): boolean {
    return dayOf(Math.floor(this.#wall() / 1000)) > this.today();
  }
}
