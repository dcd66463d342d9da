import { monotonicMs } from '#base/time/clock';

/**
 * The most time that counts between two checks, so that a pause of the whole machine doesn't look like
 * silence.
 */
const LOOK_MOST_MS = 2_000;

/** Measures how long a thread has been silent (see `beat`), in time that its watcher was running. */
export class Watchdog {
  readonly counter = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  readonly #beats = new Int32Array(this.counter);
  readonly #clock: () => number;
  #seen = 0;
  #lookedAt: number;
  #silentMs = 0;

  /** @param clock monotonic milliseconds */
  constructor(clock: () => number = monotonicMs) {
    this.#clock = clock;
    this.#lookedAt = clock();
  }

  /** Call it every second. @returns for how many milliseconds there was no heartbeat */
  look(): number {
    const beats = Atomics.load(this.#beats, 0);
    const now = this.#clock();
    const passed = Math.min(now - this.#lookedAt, LOOK_MOST_MS);
    this.#silentMs = beats === this.#seen ? this.#silentMs + passed : 0;
    this.#seen = beats;
    this.#lookedAt = now;
    return this.#silentMs;
  }
}
