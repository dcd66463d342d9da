import type { Urgency } from '#core/ports';
import type { Hints } from './hints.ts';

/**
 * A little over the minute that limits are told for, since requests that leave evenly may arrive
 * closer together.
 */
export const WINDOW_MS = 61_000;

/** Part of what is allowed that only members of the chats may use. */
const RESERVE = 0.2;

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
  /** Those of them that no member of a chat waited for. */
  readonly #others: number[] = [];
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
  waitMs(urgency: Urgency): number {
    const now = this.#now();
    const isReserved = urgency !== 'interactive';
    const reserve = isReserved ? Math.ceil(this.#limit * RESERVE) : 0;
    let until = this.#blockedUntil;
    if (this.#grant.requests <= reserve) until = Math.max(until, this.#grant.until);
    until = Math.max(until, freeAt(this.#left, this.#mostAt(now), now));
    if (isReserved) until = Math.max(until, freeAt(this.#others, this.#mostOfOthers(), now));
    return Math.max(0, until - now);
  }

  /** Each replica keeps to its share of it: no one counts these for all. */
  #mostOfOthers(): number {
    const all = this.#limit - Math.ceil(this.#limit * RESERVE);
    return Math.max(1, Math.floor(all / Math.max(1, this.#replicas())));
  }

  /** Counts a request that leaves now. */
  spend(urgency: Urgency): void {
    const now = this.#now();
    this.#left.push(now);
    if (urgency !== 'interactive') this.#others.push(now);
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

/**
 * When one more may leave that shall be at most the `most`th in any window.
 * @param times of those that left, oldest first; what is older than the window is dropped
 */
function freeAt(times: number[], most: number, now: number): number {
  while (times.length > 0 && (times[0] as number) <= now - WINDOW_MS) times.shift();
  return times.length < most ? now : (times[times.length - most] as number) + WINDOW_MS;
}
