import { BoundedMap } from './bounded-map.ts';

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
