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

/** A cache bounded by the sizes of its values and their number; evicts the least recently used. */
export class SizedCache<V> {
  readonly #entries = new Map<string, { readonly value: V; readonly bytes: number }>();
  readonly #mostBytes: number;
  readonly #most: number;
  #bytes = 0;

  /** @param most entries */
  constructor(mostBytes: number, most = Number.POSITIVE_INFINITY) {
    this.#mostBytes = mostBytes;
    this.#most = most;
  }

  /** Current size. */
  get held(): { readonly entries: number; readonly bytes: number } {
    return { entries: this.#entries.size, bytes: this.#bytes };
  }

  get(key: string): V | undefined {
    const held = this.#entries.get(key);
    if (held === undefined) return undefined;
    // Move it to the end, as the most recently used.
    this.#entries.delete(key);
    this.#entries.set(key, held);
    return held.value;
  }

  /** Holds a value, or holds it with another size; not if it's larger than all of the cache. */
  set(key: string, value: V, bytes: number): void {
    this.#delete(key);
    if (bytes > this.#mostBytes) return;
    this.#entries.set(key, { value, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#most && this.#bytes <= this.#mostBytes) return;
      this.#delete(oldest);
    }
  }

  #delete(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}

/** A bounded cache with expiry; evicts the oldest values. */
export class Recent<V> {
  readonly #held: BoundedMap<string, { readonly value: V; readonly until: number }>;
  readonly #milliseconds: number;
  readonly #clock: () => number;

  /** @param clock monotonic milliseconds */
  constructor(milliseconds: number, most: number, clock: () => number) {
    this.#milliseconds = milliseconds;
    this.#held = new BoundedMap(most);
    this.#clock = clock;
  }

  /** @param mostMs maximum age, if less than the expiry */
  get(key: string, mostMs = this.#milliseconds): V | undefined {
    const held = this.#held.get(key);
    if (held === undefined) return undefined;
    const left = this.#milliseconds - mostMs;
    return held.until - left <= this.#clock() ? undefined : held.value;
  }

  set(key: string, value: V): void {
    this.#held.set(key, { value, until: this.#clock() + this.#milliseconds });
  }

  delete(key: string): void {
    this.#held.delete(key);
  }
}
