/** Milliseconds of the first delay after a failure, and of the longest. */
export interface BackoffRange {
  readonly first: number;
  readonly most: number;
}

/**
 * Delay after the n-th consecutive failure, counted from 1: a bound that doubles up to the longest
 * delay, with jitter over its upper half so that processes don't retry in step.
 */
export function backoff(
  failures: number,
  { first, most }: BackoffRange,
  random: () => number = Math.random,
): number {
  const bound = Math.min(most, first * 2 ** Math.min(failures - 1, 30));
  return bound * (0.5 + random() / 2);
}

/** Counts consecutive failures and computes the delay after each. */
export class Backoff {
  readonly #range: BackoffRange;
  #failures = 0;

  constructor(range: BackoffRange) {
    this.#range = range;
  }

  /** The delay after one more failure, in milliseconds. */
  next(): number {
    this.#failures += 1;
    return backoff(this.#failures, this.#range);
  }

  reset(): void {
    this.#failures = 0;
  }
}
