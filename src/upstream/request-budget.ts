import type { SharedBudget } from '#cluster';
import type { Urgency } from '#reputation';
import type { ResponseHints } from './response-hints.ts';

/** Slightly over a minute, because requests sent evenly may arrive closer together. */
const WINDOW_MS = 61_000;

/** Share of the limit that is reserved for chat commands. */
const RESERVE = 0.2;

/**
 * Keeps us within the upstream's rate limit: never more than the limit in any minute, fewer if its
 * headers say so, and none until Retry-After has passed. Uses a monotonic clock.
 */
export class RequestBudget {
  #limit: number;
  readonly #now: () => number;
  readonly #replicas: () => number;
  #shareUntil = 0;
  /** When requests were sent, oldest first; those older than the window are dropped. */
  readonly #left: number[] = [];
  /** The subset that wasn't for a chat command. */
  readonly #others: number[] = [];
  #underWay = 0;
  #blockedUntil = 0;
  /** What the upstream reported as left in its own window. */
  #grant = { requests: Number.POSITIVE_INFINITY, until: 0 };

  /**
   * @param now milliseconds of a monotonic clock
   * @param replicas number of replicas that use the same upstream
   */
  constructor(perMinute: number, now: () => number, replicas: () => number = () => 1) {
    this.#limit = perMinute;
    this.#now = now;
    this.#replicas = replicas;
  }

  /** Requests per minute that the upstream allows all replicas together, as far as we know. */
  get limit(): number {
    return this.#limit;
  }

  /**
   * Limits this replica to its share while there is no shared counter.
   * @param forMs a whole window by default: a counter that comes back doesn't know our requests
   */
  keepToShare(forMs = WINDOW_MS): void {
    this.#shareUntil = Math.max(this.#shareUntil, this.#now() + forMs);
  }

  #mostAt(now: number): number {
    if (now >= this.#shareUntil) return this.#limit;
    return Math.max(1, Math.floor(this.#limit / Math.max(1, this.#replicas())));
  }

  /** Milliseconds until the next request may be sent; 0 for now. */
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

  /** Each replica keeps to its share here: there is no shared counter for these. */
  #mostOfOthers(): number {
    const all = this.#limit - Math.ceil(this.#limit * RESERVE);
    return Math.max(1, Math.floor(all / Math.max(1, this.#replicas())));
  }

  /** Counts a request that is sent now. */
  spend(urgency: Urgency): void {
    const now = this.#now();
    this.#left.push(now);
    if (urgency !== 'interactive') this.#others.push(now);
    this.#underWay += 1;
    if (now >= this.#grant.until) this.#grant = { ...this.#grant, requests: Infinity };
    this.#grant.requests -= 1;
  }

  /** Call it when a request completes or fails. @param hints from its response, if there was one */
  settle(hints?: ResponseHints): void {
    this.#underWay -= 1;
    if (hints === undefined) return;
    const now = this.#now();
    const { perMinute, remaining, resetMs, retryAfterMs } = hints;
    // Only ever lower it: the configured limit is the maximum.
    if (perMinute !== undefined && perMinute > 0) this.#limit = Math.min(this.#limit, perMinute);
    if (retryAfterMs !== undefined) this.block(retryAfterMs);
    if (remaining === undefined || resetMs === undefined) return;
    // The upstream may not have counted our requests in flight when it sent this.
    const requests = Math.max(0, remaining - this.#underWay);
    this.#grant = { requests, until: now + resetMs };
  }

  /** Blocks all requests for `forMs`. */
  block(forMs: number): void {
    this.#blockedUntil = Math.max(this.#blockedUntil, this.#now() + forMs);
  }
}

/**
 * When the next request may be sent so that any window has at most `most`.
 * @param times when requests were sent, oldest first; drops those older than the window
 */
function freeAt(times: number[], most: number, now: number): number {
  while (times.length > 0 && (times[0] as number) <= now - WINDOW_MS) times.shift();
  return times.length < most ? now : (times[times.length - most] as number) + WINDOW_MS;
}

/** How long the queue waits for a slot before it checks again; it is woken as soon as one arrives. */
const TAKING_MS = 60;
/** We drop a slot unused for this long: used later, it could exceed the limit. */
const UNUSED_MS = 500;

interface SharedRequestSlotsOptions {
  readonly shared: SharedBudget;
  /** Identifies the upstream. */
  readonly key: string;
  readonly budget: RequestBudget;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/**
 * Request slots that all replicas take from one shared budget. We take one ahead, for the next
 * request: the budget grants each slot once, so we mustn't take any that we won't use.
 */
export class SharedRequestSlots {
  readonly #options: SharedRequestSlotsOptions;
  /** When the next request may be sent; undefined if there's no slot for it yet. */
  #at: number | undefined;
  #isTaking = false;
  /** Called when a slot arrives. */
  onSlot: () => void = () => undefined;

  constructor(options: SharedRequestSlotsOptions) {
    this.#options = options;
  }

  /** Milliseconds until the next request may be sent, as far as we know. */
  get knownWaitMs(): number {
    return this.#at === undefined ? 0 : Math.max(0, this.#at - this.#options.now());
  }

  /** Milliseconds until the next request may be sent; takes a slot for it. 0 for now. */
  waitMs(): number {
    const now = this.#options.now();
    if (this.#at !== undefined && now - this.#at > UNUSED_MS) this.#at = undefined;
    if (this.#at !== undefined) return Math.max(0, this.#at - now);
    if (!this.#isTaking) void this.#take();
    return TAKING_MS;
  }

  /** Uses up the slot. */
  spend(): void {
    this.#at = undefined;
  }

  /** Blocks all replicas, because the upstream asked us to wait. */
  async block(forMs: number): Promise<void> {
    const { shared, key } = this.#options;
    // If this fails, the upstream will tell the others itself.
    await shared.block(key, forMs).catch(() => undefined);
  }

  async #take(): Promise<void> {
    const { shared, key, budget, now } = this.#options;
    this.#isTaking = true;
    try {
      this.#at = now() + (await shared.take(key, budget.limit, WINDOW_MS));
    } catch {
      budget.keepToShare();
      this.#at = now();
    } finally {
      this.#isTaking = false;
    }
    this.onSlot();
  }
}
