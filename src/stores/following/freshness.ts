/** After this long without an answer of the database nobody knows what is in it by now. */
const UNSEEN_MS = 3_000;
/** Who has not shown a commit this long after it may have been made is behind. */
const BEHIND_MS = 10_000;
/** An answer that costs nothing is asked for again after this long. */
const GLANCE_MS = 1_000;

/** How sure it is that all that is committed is shown. */
export interface Staleness {
  readonly isStale: boolean;
  /** Whole seconds since all that was committed was shown; 0 for the first few. */
  readonly ageSeconds: number;
}

const FRESH: Staleness = { isStale: false, ageSeconds: 0 };

/**
 * Tells how far what is shown is behind what is committed, by this process's monotonic clock alone:
 * whatever isn't shown was committed after the database was last asked and all of it was shown. When
 * a commit was made by another machine's clock says nothing about that.
 */
export class Freshness {
  readonly #glance: (() => void) | undefined;
  #seenAt: number;
  #shownAsOf: number;
  #glancedAt = Number.NEGATIVE_INFINITY;
  #isSuspect = false;
  /** When a question had no answer, and none had one since. */
  #failedAt: number | undefined;
  /** Since when evidence has gone unscored; undefined: none has. */
  #unscoredSince: number | undefined;

  /**
   * @param asOf when all that was committed was shown, by performance.now()
   * @param glance where the database answers at once: asks it, before anything is called old
   */
  constructor(asOf: number, glance?: () => void) {
    this.#seenAt = asOf;
    this.#shownAsOf = asOf;
    this.#glance = glance;
  }

  /** The database has answered. @param askedAt when it was asked, by performance.now() */
  seen(askedAt: number): void {
    this.#seenAt = Math.max(this.#seenAt, askedAt);
    if (this.#failedAt !== undefined && askedAt >= this.#failedAt) this.#failedAt = undefined;
  }

  /** The database gave no answer: what is shown is old until it answers what it is asked from now on. */
  failed(): void {
    this.#failedAt = performance.now();
  }

  /** All that was committed then is shown, and what is shown can be trusted. */
  showsAll(asOf: number): void {
    this.seen(asOf);
    this.#shownAsOf = Math.max(this.#shownAsOf, asOf);
    this.#isSuspect = false;
  }

  /** What is shown may be wrong, until `showsAll`. */
  suspect(): void {
    this.#isSuspect = true;
  }

  /** Whether evidence is committed whose points are missing from all that is shown. */
  set isUnscored(isUnscored: boolean) {
    this.#unscoredSince = isUnscored ? (this.#unscoredSince ?? performance.now()) : undefined;
  }

  get isSuspect(): boolean {
    return this.#isSuspect;
  }

  get #isDoubtful(): boolean {
    return this.#isSuspect || this.#failedAt !== undefined || this.#unscoredSince !== undefined;
  }

  /** Whole seconds since all that is in the ledger was shown; 0 for the first few. */
  get lagSeconds(): number {
    this.#glanceIfOld();
    return this.#secondsSince(this.#shownAsOf);
  }

  now(): Staleness {
    const now = this.#glanceIfOld();
    const age = now - this.#shownAsOf;
    // Nearly always, and asked by every request.
    if (age <= UNSEEN_MS && !this.#isDoubtful) return FRESH;
    const isStale = this.#isDoubtful || now - this.#seenAt > UNSEEN_MS || age > BEHIND_MS;
    const asOf = Math.min(this.#shownAsOf, this.#unscoredSince ?? this.#shownAsOf);
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
