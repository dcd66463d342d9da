import { MARGIN_MS, sleep } from './waiting.ts';

/** The requests left until a time of `performance.now()`. */
interface Window {
  left: number;
  readonly endsAt: number;
  /** The requests of a whole window. */
  readonly quota: number;
}

/** Header values such as `"public";r=99;t=41` and `"public";q=100;w=60`. */
const LEFT = /;r=(\d+);t=(\d+)/;
const QUOTA = /;q=(\d+)/;

/**
 * Keeps within the rate limit that the server reports in its `RateLimit` headers: a request beyond it waits
 * for the next window instead of being rejected.
 */
export class Pace {
  #window: Window | undefined;
  #underWay = 0;

  /** Milliseconds until a request of this cost may be sent; 0 means now. */
  waitMs(cost: number): number {
    const now = performance.now();
    const window = this.#current(now);
    // A request that never fits is sent anyway, so that the server responds with the error.
    const isFull = window !== undefined && window.left < Math.min(cost, window.quota);
    return isFull ? Math.max(window.endsAt - now, 0) : 0;
  }

  /**
   * Waits until the request may be sent, and counts it.
   * @param mostMs how long it may wait
   * @returns false if that isn't enough
   */
  async take(cost: number, mostMs: number, signal: AbortSignal | undefined): Promise<boolean> {
    const until = performance.now() + mostMs;
    for (let wait = this.waitMs(cost); wait > 0; wait = this.waitMs(cost)) {
      if (performance.now() + wait > until) return false;
      await sleep(wait, signal);
    }
    const window = this.#current(performance.now());
    if (window !== undefined) window.left -= cost;
    this.#underWay += cost;
    return true;
  }

  /** Call it after each response, or without headers if there was none. */
  settle(cost: number, headers?: Headers): void {
    this.#underWay -= cost;
    const [, left, seconds] = LEFT.exec(headers?.get('ratelimit') ?? '') ?? [];
    const [, quota] = QUOTA.exec(headers?.get('ratelimit-policy') ?? '') ?? [];
    if (left === undefined || seconds === undefined) return;
    const now = performance.now();
    const known = this.#current(now);
    // Responses may arrive out of order: within a window, the lowest count is the newest.
    const told = Number(left) - this.#underWay;
    this.#window = {
      left: known === undefined ? told : Math.min(known.left, told),
      endsAt: known?.endsAt ?? now + Number(seconds) * 1000 + MARGIN_MS,
      quota: Number(quota ?? known?.quota ?? left),
    };
  }

  #current(now: number): Window | undefined {
    if (this.#window !== undefined && now >= this.#window.endsAt) this.#window = undefined;
    return this.#window;
  }
}
