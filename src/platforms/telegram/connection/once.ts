/**
 * The latest update ids, so that what Telegram delivers twice (a webhook that answered too late, a
 * poll whose answer got lost) is handled once. Bounded: a delivery is repeated soon or never.
 */
export class HandledOnce {
  readonly #ids = new Set<number>();
  readonly #most: number;

  constructor(most = 10_000) {
    this.#most = most;
  }

  /** @returns false when it was there already */
  add(id: number): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    if (this.#ids.size > this.#most) {
      const oldest = this.#ids.values().next().value;
      if (oldest !== undefined) this.#ids.delete(oldest);
    }
    return true;
  }
}
