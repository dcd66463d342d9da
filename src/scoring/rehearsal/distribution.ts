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

/** How many wallets have a score in a range. */
export interface ScoreRange {
  readonly from: number;
  /** Inclusive. */
  readonly to: number;
  readonly before: number;
  readonly after: number;
}

/**
 * Counts scores in ranges that begin with 1, 2 and 5 of every power of ten; 0 is a range of its
 * own.
 */
export class Distribution {
  readonly #counts = [[], []] as readonly [number[], number[]];

  add(side: 'before' | 'after', score: number): void {
    const counts = this.#counts[side === 'before' ? 0 : 1];
    const range = rangeOf(score);
    counts[range] = (counts[range] ?? 0) + 1;
  }

  /** From 0 up to the highest score. */
  get ranges(): readonly ScoreRange[] {
    const [before, after] = this.#counts;
    return Array.from({ length: Math.max(before.length, after.length) }, (_, range) => ({
      from: startOf(range),
      to: range === 0 ? 0 : startOf(range + 1) - 1,
      before: before[range] ?? 0,
      after: after[range] ?? 0,
    }));
  }
}

const STEPS = [1, 2, 5];

function rangeOf(score: number): number {
  if (score <= 0) return 0;
  let power = 0;
  let unit = 1;
  while (unit * 10 <= score) {
    unit *= 10;
    power += 1;
  }
  const step = score >= unit * 5 ? 2 : score >= unit * 2 ? 1 : 0;
  return 1 + power * 3 + step;
}

function startOf(range: number): number {
  if (range === 0) return 0;
  return 10 ** Math.floor((range - 1) / 3) * (STEPS[(range - 1) % 3] as number);
}
