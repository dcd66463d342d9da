/** What was known this long ago counts as stale. */
const STALE_MS = 3_000;

/** How long ago it was last known that nothing newer is there, or what is there. */
export class Freshness {
  #seenAt = performance.now();

  /** To be called when the primary was asked. @param askedAt when, by performance.now() */
  seen(askedAt: number): void {
    this.#seenAt = askedAt;
  }

  get isStale(): boolean {
    return performance.now() - this.#seenAt > STALE_MS;
  }

  /** Whole seconds; 0 while it is not stale. */
  get ageSeconds(): number {
    const age = performance.now() - this.#seenAt;
    return age > STALE_MS ? Math.floor(age / 1000) : 0;
  }
}
