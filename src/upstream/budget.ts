import type { Hints } from './hints.ts';

/**
 * A little over the minute that limits are told for, since requests that leave evenly may arrive
 * closer together.
 */
export const WINDOW_MS = 61_000;

/**
 * How many requests the upstream allows: never more than so many in any minute, fewer when its
 * headers say so, none while it asked us to wait. All by a clock that only goes forward.
 */
export class Budget {
  #limit: number;
  readonly #now: () => number;
  readonly #replicas: () => number;
  #shareUntil = 0;
  /** When requests left, oldest first; those older than the window are forgotten. */
  readonly #left: number[] = [];
  #underWay = 0;
  #blockedUntil = 0;
  /** What the upstream said is left of its own window. */
  #grant = { requests: Number.POSITIVE_INFINITY, until: 0 };

  /**
   * @param now milliseconds of a monotonic clock
   * @param replicas how many processes ask the same upstream
   */
  constructor(perMinute: number, now: () => number, replicas: () => number = () => 1) {
    this.#limit = perMinute;
    this.#now = now;
    this.#replicas = replicas;
  }

  /** Requests a minute that the upstream allows all replicas together, as far as it said. */
  get limit(): number {
    return this.#limit;
  }

  /**
   * Nobody counts for all replicas, so this one takes no more than its share.
   * @param forMs a whole window if not given: who counts again then knows nothing of this one
   */
  keepToShare(forMs = WINDOW_MS): void {
    this.#shareUntil = Math.max(this.#shareUntil, this.#now() + forMs);
  }

  #mostAt(now: number): number {
    if (now >= this.#shareUntil) return this.#limit;
    return Math.max(1, Math.floor(this.#limit / Math.max(1, this.#replicas())));
  }

  /** Milliseconds until one more request may leave; 0 for at once. */
  waitMs(): number {
    const now = this.#now();
    let until = this.#blockedUntil;
    if (this.#grant.requests <= 0) until = Math.max(until, this.#grant.until);
    while (this.#left.length > 0 && (this.#left[0] as number) <= now - WINDOW_MS) {
      this.#left.shift();
    }
    const most = this.#mostAt(now);
    if (this.#left.length >= most) {
      const oldest = this.#left[this.#left.length - most] as number;
      until = Math.max(until, oldest + WINDOW_MS);
    }
    return Math.max(0, until - now);
  }

  /** Counts a request that leaves now. */
  spend(): void {
    const now = this.#now();
    this.#left.push(now);
    this.#underWay += 1;
    if (now >= this.#grant.until) this.#grant = { ...this.#grant, requests: Infinity };
    this.#grant.requests -= 1;
  }

  /** Counts a request that has ended, however it did. @param hints of its answer, if there was one */
  settle(hints?: Hints): void {
    this.#underWay -= 1;
    if (hints === undefined) return;
    const now = this.#now();
    const { perMinute, remaining, resetMs, retryAfterMs } = hints;
    // Lowered only: who configured us knows what is allowed at most.
    if (perMinute !== undefined && perMinute > 0) this.#limit = Math.min(this.#limit, perMinute);
    if (retryAfterMs !== undefined) this.block(retryAfterMs);
    if (remaining === undefined || resetMs === undefined) return;
    // Those under way may not have been counted when this was said.
    const requests = Math.max(0, remaining - this.#underWay);
    this.#grant = { requests, until: now + resetMs };
  }

  /** Lets nothing leave for so long. */
  block(forMs: number): void {
    this.#blockedUntil = Math.max(this.#blockedUntil, this.#now() + forMs);
  }
}
