import type { MaybePromise } from './maybe-promise.ts';

/** A client's usage of its current window. */
export interface RateWindow {
  /** Requests in this window, including rejected ones. */
  readonly count: number;
  /** When the window ends: whole milliseconds of the caller's clock. */
  readonly endsAt: number;
  /** The bulk didn't fit, so nothing of it was counted. */
  readonly isRefused?: true;
}

/** A request that counts as several: all of them if they fit, else none. */
export interface BulkCount {
  readonly requests: number;
  /** Most requests in a window, these included. */
  readonly limit: number;
}

export interface RateWindowOptions {
  /** Milliseconds. */
  readonly length: number;
  /** Maximum clients remembered at once. */
  readonly maxClients: number;
}

/**
 * Counts clients' requests in fixed windows: in this process, or shared by all replicas. Of `now`, whole
 * milliseconds count: with fractions, `now + length - now` may be more than `length`.
 */
export interface RateCounter {
  /**
   * Counts one request of a client, or a bulk, and returns its window, this request included unless
   * it was refused.
   */
  count(client: string, now: number, bulk?: BulkCount): MaybePromise<RateWindow>;
  /** The client's current window, or undefined. Counts nothing. */
  peek(client: string, now: number): MaybePromise<RateWindow | undefined>;
}

/** Creates a counter. @param name distinguishes it from other shared counters */
export type RateCounterMaker = (name: string, options: RateWindowOptions) => RateCounter;

/**
 * Fixed windows that start at a client's first request, one counter per client.
 *
 * Own code rather than a package: counting happens on every request, so it must not await or start
 * timers, and a flood of invented clients must not fill the memory. All windows have the same
 * length and new ones go last, so the map is in order of expiry and its head is always what to drop
 * first.
 */
export class RateWindows implements RateCounter {
  readonly #windows = new Map<string, { count: number; endsAt: number }>();
  readonly #options: RateWindowOptions;

  constructor(options: RateWindowOptions) {
    this.#options = options;
  }

  /** Number of clients remembered. */
  get size(): number {
    return this.#windows.size;
  }

  /** Counts one request of a client, or a bulk; see `RateCounter`. */
  count(client: string, time: number, bulk?: BulkCount): RateWindow {
    const now = Math.floor(time);
    const window = this.#windows.get(client);
    const running =
      window !== undefined && isRunning(window, now, this.#options.length) ? window : undefined;
    if (bulk !== undefined && !fits(bulk, running)) {
      return refused(running ?? { count: 0, endsAt: now + this.#options.length });
    }
    const requests = bulk?.requests ?? 1;
    if (running !== undefined) {
      running.count += requests;
      return running;
    }
    if (window !== undefined) this.#windows.delete(client);
    makeRoom(this.#windows, now, this.#options);
    const fresh = { count: requests, endsAt: now + this.#options.length };
    this.#windows.set(client, fresh);
    return fresh;
  }

  /** The client's current window, or undefined. Counts nothing. */
  peek(client: string, time: number): RateWindow | undefined {
    const now = Math.floor(time);
    const window = this.#windows.get(client);
    return window !== undefined && isRunning(window, now, this.#options.length)
      ? window
      : undefined;
  }
}

/** Whole seconds until a window ends, at least 1 and at most its length. */
export function secondsLeft({ endsAt }: RateWindow, now: number): number {
  return Math.max(1, Math.ceil((endsAt - Math.floor(now)) / 1000));
}

/** Whether a bulk fits into the client's current window; undefined if it has none. */
export function fits({ requests, limit }: BulkCount, window: RateWindow | undefined): boolean {
  return (window?.count ?? 0) + requests <= limit;
}

/** The same window as the answer to a bulk that doesn't fit. */
export function refused({ count, endsAt }: RateWindow): RateWindow {
  return { count, endsAt, isRefused: true };
}

/**
 * Whether it's still running. A clock that was set back must not lock a client out for that long.
 */
export function isRunning(window: RateWindow, now: number, length: number): boolean {
  return now < window.endsAt && window.endsAt - now <= length;
}

/**
 * Drops up to two expired windows, so the map shrinks after a flood without a sweep, and the oldest
 * one if there's still no room. That client then starts afresh: in such a flood, better too
 * generous to one than no memory for all.
 */
export function makeRoom(
  windows: Map<string, RateWindow>,
  now: number,
  { length, maxClients }: RateWindowOptions,
): void {
  let checks = 2;
  for (const [client, window] of windows) {
    if (isRunning(window, now, length) && windows.size < maxClients) return;
    windows.delete(client);
    checks -= 1;
    if (checks === 0) return;
  }
}

/** Counts in this process only, synchronously. */
export const countLocally: RateCounterMaker = (_name, options) => new RateWindows(options);
