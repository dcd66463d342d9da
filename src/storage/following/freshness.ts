import type { UnscoredCause } from '#storage/store';

/** After this long without an answer from the database, we can't know what's in it. */
const UNSEEN_MS = 3_000;
/** Data counts as behind if it doesn't show a possible commit after this long. */
const BEHIND_MS = 10_000;
/** Where a query costs nothing, it is repeated after this long. */
const GLANCE_MS = 1_000;

/** How certain it is that all commits are shown. */
export interface Staleness {
  readonly isStale: boolean;
  /** Whole seconds since all commits were shown; 0 for the first few. */
  readonly ageSeconds: number;
}

const FRESH: Staleness = { isStale: false, ageSeconds: 0 };

/**
 * Tracks how far what is shown is behind what is committed, by this process's monotonic clock
 * alone: whatever isn't shown was committed after the last query that found everything shown.
 * Commit times don't count, because they are by another machine's clock.
 */
export class Freshness {
  readonly #glance: (() => void) | undefined;
  #seenAt: number;
  #shownAsOf: number;
  #glancedAt = Number.NEGATIVE_INFINITY;
  /** Whether a chain is still being read: everything committed is shown, but it isn't all yet. */
  isPartial = false;
  #isSuspect = false;
  /** When a query failed, if none has succeeded since. */
  #failedAt: number | undefined;
  /** Since when evidence has gone unscored, for each cause. */
  readonly #unscoredSince = new Map<UnscoredCause, number>();

  /**
   * @param asOf when all commits were shown, by performance.now()
   * @param glance where the database answers immediately: queries it before data is reported as old
   */
  constructor(asOf: number, glance?: () => void) {
    this.#seenAt = asOf;
    this.#shownAsOf = asOf;
    this.#glance = glance;
  }

  /** The database answered. @param askedAt when it was queried, by performance.now() */
  seen(askedAt: number): void {
    this.#seenAt = Math.max(this.#seenAt, askedAt);
    if (this.#failedAt !== undefined && askedAt >= this.#failedAt) this.#failedAt = undefined;
  }

  /** The database didn't answer: what is shown counts as old until it answers a later query. */
  failed(): void {
    this.#failedAt = performance.now();
  }

  /** All commits up to then are shown, and what is shown can be trusted. */
  showsAll(asOf: number): void {
    this.seen(asOf);
    this.#shownAsOf = Math.max(this.#shownAsOf, asOf);
    this.#isSuspect = false;
  }

  /** What is shown may be wrong, until `showsAll`. */
  suspect(): void {
    this.#isSuspect = true;
  }

  /** Records whether scores lack evidence for a cause: it's committed but not scored, or couldn't be read. */
  markUnscored(cause: UnscoredCause, isUnscored: boolean): void {
    if (!isUnscored) this.#unscoredSince.delete(cause);
    else if (!this.#unscoredSince.has(cause)) this.#unscoredSince.set(cause, performance.now());
  }

  get isSuspect(): boolean {
    return this.#isSuspect;
  }

  get #isDoubtful(): boolean {
    return this.#isSuspect || this.#failedAt !== undefined || this.#unscoredSince.size > 0;
  }

  /** Whole seconds since everything in the ledger was shown; 0 for the first few. */
  get lagSeconds(): number {
    this.#glanceIfOld();
    return this.#secondsSince(this.#shownAsOf);
  }

  now(): Staleness {
    const now = this.#glanceIfOld();
    const age = now - this.#shownAsOf;
    // The common case, and on the path of every request.
    if (age <= UNSEEN_MS && !this.#isDoubtful) return FRESH;
    const isStale = this.#isDoubtful || now - this.#seenAt > UNSEEN_MS || age > BEHIND_MS;
    const asOf = Math.min(this.#shownAsOf, ...this.#unscoredSince.values());
    return { isStale, ageSeconds: this.#secondsSince(asOf) };
  }

  /** @returns the time, by performance.now() */
  #glanceIfOld(): number {
    const now = performance.now();
    if (
      this.#glance !== undefined &&
      now - this.#shownAsOf > GLANCE_MS &&
      now - this.#glancedAt > GLANCE_MS
    ) {
      this.#glancedAt = now;
      this.#glance();
    }
    return now;
  }

  #secondsSince(asOf: number): number {
    const age = performance.now() - asOf;
    return age > UNSEEN_MS || this.#failedAt !== undefined ? Math.floor(age / 1000) : 0;
  }
}
