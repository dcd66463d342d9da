import { BoundedMap, monotonicMs, wallMs } from '#base';

/** When something was looked up, by both clocks. */
interface Dated<T> {
  readonly value: T;
  readonly at: number;
  readonly wallAt: number;
}

export interface LookupCacheOptions {
  readonly most: number;
  /** For tests. */
  readonly monotonic?: () => number;
  readonly wall?: () => number;
}

/** An in-memory cache of look-ups with their age. When it's full, the oldest entry is dropped. */
export class LookupCache<T> {
  readonly #entries: BoundedMap<string, Dated<T>>;
  readonly #monotonic: () => number;
  readonly #wall: () => number;

  constructor({ most, monotonic = monotonicMs, wall = wallMs }: LookupCacheOptions) {
    this.#entries = new BoundedMap(most);
    this.#monotonic = monotonic;
    this.#wall = wall;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Undefined if there's no entry. */
  get(key: string): { readonly value: T; readonly ageMs: number } | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    // Setting the wall clock back makes no entry younger, and suspending the machine makes them older.
    const ageMs = Math.max(this.#monotonic() - entry.at, this.#wall() - entry.wallAt);
    return { value: entry.value, ageMs };
  }

  /** The keys whose value this is. */
  keysOf(value: T): readonly string[] {
    const entries = this.#entries.entries().filter(([, entry]) => entry.value === value);
    return [...entries.map(([key]) => key)];
  }

  set(key: string, value: T): void {
    this.#entries.set(key, { value, at: this.#monotonic(), wallAt: this.#wall() });
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}
