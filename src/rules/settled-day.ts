import { monotonicMs, wallMs } from '#core/clock';
import { dayOf } from '#core/scoring/days';

/** Clocks that are kept in step are moved by less. */
const JUMP_MS = 60_000;
/** How long a jump forward must last before its date counts. */
const HOLD_MS = 3_600_000;

/**
 * The current day, by a clock that may jump. Daily steps can't be taken back, so a clock that is set far
 * ahead by mistake must not take them: for an hour the days go on as if it hadn't been set.
 */
export class SettledDay {
  readonly #wall: () => number;
  readonly #monotonic: () => number;
  /** Between the trusted date and monotonic time. */
  #offset: number;
  #jumpedAt: number | undefined;

  constructor(wall: () => number = wallMs, monotonic: () => number = monotonicMs) {
    this.#wall = wall;
    this.#monotonic = monotonic;
    this.#offset = wall() - monotonic();
  }

  /** The last midnight, as the day that it begins. To be asked every few seconds. */
  today(): number {
    const now = this.#monotonic();
    const offset = this.#wall() - now;
    if (offset - this.#offset > JUMP_MS) this.#jumpedAt ??= now;
    else this.#jumpedAt = undefined;
    if (this.#jumpedAt === undefined || now - this.#jumpedAt >= HOLD_MS) {
      this.#offset = offset;
      this.#jumpedAt = undefined;
    }
    return dayOf(Math.floor((now + this.#offset) / 1000));
  }

  /** Whether the clock has jumped to another day, which doesn't count yet. */
  get isHeld(): boolean {
    return dayOf(Math.floor(this.#wall() / 1000)) > this.today();
  }
}
