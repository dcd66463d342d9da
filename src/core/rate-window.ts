import type { MaybePromise } from './maybe-promise.ts';

/** What one client has used of its current window. */
export interface RateWindow {
  /** Requests in this window, the refused ones included. */
  readonly count: number;
  /** When the window ends, in the milliseconds of the caller's clock. */
  readonly endsAt: number;
}

export interface RateWindowOptions {
  /** Milliseconds. */
  readonly length: number;
  /** The most clients that are remembered at once. */
  readonly maxClients: number;
}

/** Counts what clients do in fixed windows: in this process alone, or for all replicas together. */
export interface RateCounter {
  /** Counts one request of a client and returns its window, this request included. */
  count(client: string, now: number): MaybePromise<RateWindow>;
  /** The client's running window, or undefined. Counts nothing. */
  peek(client: string, now: number): MaybePromise<RateWindow | undefined>;
}

/** Makes a counter. @param name tells it from the others that are shared */
export type RateCounterMaker = (name: string, options: RateWindowOptions) => RateCounter;

/**
 * Fixed windows that start at a client's first request in them, one counter a client.
 *
 * Own code rather than a package: counting happens on every request, so it must not wait for a
 * promise or start a timer, and a flood of invented clients must not fill the memory. All windows
 * are equally long and a new one is put last, so the map is in the order in which they end and its
 * head is always what to drop first.
 */
export class RateWindows implements RateCounter {
  readonly #windows = new Map<string, { count: number; endsAt: number }>();
  readonly #options: RateWindowOptions;

  constructor(options: RateWindowOptions) {
    this.#options = options;
  }

  /** Clients remembered now. */
  get size(): number {
    return this.#windows.size;
  }

  /** Counts one request of a client and returns its window, this request included. */
  count(client: string, now: number): RateWindow {
    const window = this.#windows.get(client);
    if (window !== undefined && isRunning(window, now, this.#options.length)) {
      window.count += 1;
      return window;
    }
    if (window !== undefined) this.#windows.delete(client);
    makeRoom(this.#windows, now, this.#options);
    const fresh = { count: 1, endsAt: now + this.#options.length };
    this.#windows.set(client, fresh);
    return fresh;
  }

  /** The client's running window, or undefined. Counts nothing. */
  peek(client: string, now: number): RateWindow | undefined {
    const window = this.#windows.get(client);
    return window !== undefined && isRunning(window, now, this.#options.length)
      ? window
      : undefined;
  }
}

/** Whether it is not over. A clock that was set back must not lock a client out for as long as that. */
export function isRunning(window: RateWindow, now: number, length: number): boolean {
  return now < window.endsAt && window.endsAt - now <= length;
}

/**
 * Drops up to two windows that are over, so that the map shrinks after a flood without a sweep,
 * and the oldest one if there is still no room. That client then starts afresh: under a flood of
 * that size, too generous to one is better than no memory for all.
 */
export function makeRoom(
  windows: Map<string, RateWindow>,
  now: number,
  { length, maxClients }: RateWindowOptions,
): void {
  let looks = 2;
  for (const [client, window] of windows) {
    if (isRunning(window, now, length) && windows.size < maxClients) return;
    windows.delete(client);
    looks -= 1;
    if (looks === 0) return;
  }
}

/** Counts in this process alone, at once. */
export const countHere: RateCounterMaker = (_name, options) => new RateWindows(options);
