/** A bounded map: a new entry evicts the oldest. */
export class BoundedMap<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #most: number;

  /** @param most entries */
  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#entries.size;
  }

  has(key: K): boolean {
    return this.#entries.has(key);
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  set(key: K, value: V): void {
    // Delete first, so the map's order is by age.
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#most) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  /** From the oldest to the newest. */
  entries(): MapIterator<[K, V]> {
    return this.#entries.entries();
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }
}
