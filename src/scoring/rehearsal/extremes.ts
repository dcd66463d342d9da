/** The largest few of many, in descending order; of equals, the first ones. */
export class Extremes<T> {
  readonly #most: number;
  readonly #sizeOf: (item: T) => number;
  readonly #items: T[] = [];

  constructor(most: number, sizeOf: (item: T) => number) {
    this.#most = most;
    this.#sizeOf = sizeOf;
  }

  add(item: T): void {
    const size = this.#sizeOf(item);
    const last = this.#items.at(-1);
    const isFull = this.#items.length === this.#most;
    if (isFull && last !== undefined && this.#sizeOf(last) >= size) return;
    const place = this.#items.findIndex((each) => this.#sizeOf(each) < size);
    this.#items.splice(place === -1 ? this.#items.length : place, 0, item);
    this.#items.length = Math.min(this.#items.length, this.#most);
  }

  get list(): readonly T[] {
    return this.#items;
  }
}
