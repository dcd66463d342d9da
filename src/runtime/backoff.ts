/** Milliseconds of the first wait after a failure, and of the longest. */
export interface BackoffRange {
  readonly first: number;
  readonly most: number;
}

/**
 * How long to wait after the n-th failure in a row, counted from 1: a bound that doubles up to the
 * longest wait, and from half of it to all of it, so that many processes don't come back at once.
 */
export function backoff(
  failures: number,
  { first, most }: BackoffRange,
  random: () => number = Math.random,
): number {
  const bound = Math.min(most, first * 2 ** Math.min(failures - 1, 30));
  return bound * (0.5 + random() / 2);
}

/** Counts failures in a row, and says how long to wait after each. */
export class Backoff {
  readonly #range: BackoffRange;
  #failures = 0;

  constructor(range: BackoffRange) {
    this.#range = range;
  }

  /** How long to wait after one more failure, in milliseconds. */
  next(): number {
    this.#failures += 1;
    return backoff(this.#failures, this.#range);
  }

  reset(): void {
    this.#failures = 0;
  }
}
