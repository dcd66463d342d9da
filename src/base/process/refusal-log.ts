import { messageOf } from '#base/errors';
import type { Logger } from '#base/log';
import { monotonicMs } from '#base/time/clock';

const MINUTE_MS = 60_000;

interface Quiet {
  until: number;
  more: number;
}

/**
 * Logs requests that were refused because something is unavailable: one line a minute and level with their
 * number, since an outage or a crowd may cause thousands per second.
 */
export class RefusalLog {
  readonly #log: Logger;
  readonly #now: () => number;
  /** By level: a passing outage must not hide what only the operator can end. */
  readonly #quiet: Readonly<Record<'warn' | 'error', Quiet>> = {
    warn: { until: Number.NEGATIVE_INFINITY, more: 0 },
    error: { until: Number.NEGATIVE_INFINITY, more: 0 },
  };

  /** @param now monotonic milliseconds */
  constructor(log: Logger, now: () => number = monotonicMs) {
    this.#log = log;
    this.#now = now;
  }

  /** @param path of the route @param level `error` if only the operator can end it */
  add(error: unknown, path: string | undefined, level: 'warn' | 'error' = 'warn'): void {
    const now = this.#now();
    const quiet = this.#quiet[level];
    if (now < quiet.until) {
      quiet.more += 1;
      return;
    }
    const since = quiet.more > 0 ? { refusedSince: quiet.more } : {};
    // The writer of the log redacts secrets in it.
    this.#log[level]({ reason: messageOf(error), path, ...since }, 'the data is unavailable');
    quiet.more = 0;
    quiet.until = now + MINUTE_MS;
  }
}
