import { type BackoffRange, doublingDelay } from '#base/retry';

/**
 * Delay after the n-th consecutive failure, with jitter over the upper half of the doubling delay so
 * that processes don't retry in step.
 */
export function backoff(
  failures: number,
  range: BackoffRange,
  random: () => number = Math.random,
): number {
  return doublingDelay(failures, range) * (0.5 + random() / 2);
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
