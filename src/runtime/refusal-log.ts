import { monotonicMs } from '#core/clock';
import { messageOf } from '#core/errors';
import type { Logger } from '#core/logger';

const MINUTE_MS = 60_000;

/**
 * Logs requests that were refused because something is unavailable: one line a minute with their number,
 * since an outage or a crowd may cause thousands per second.
 */
export class RefusalLog {
  readonly #log: Logger;
  readonly #now: () => number;
  #quietUntil = Number.NEGATIVE_INFINITY;
  #more = 0;

  /** @param now monotonic milliseconds */
  constructor(log: Logger, now: () => number = monotonicMs) {
    this.#log = log;
    this.#now = now;
  }

  /** @param path of the route @param level `error` if only the operator can end it */
  add(error: unknown, path: string | undefined, level: 'warn' | 'error' = 'warn'): void {
    const now = this.#now();
    if (now < this.#quietUntil) {
      this.#more += 1;
      return;
    }
    const since = this.#more > 0 ? { refusedSince: this.#more } : {};
    this.#log[level]({ reason: messageOf(error), path, ...since }, 'the data is unavailable');
    this.#more = 0;
    this.#quietUntil = now + MINUTE_MS;
  }
}
