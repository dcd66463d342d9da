/** Milliseconds of the first wait after a fault, and of the longest. */
export interface BackoffRange {
  readonly first: number;
  readonly most: number;
}

/** Waits that double up to a bound. Jitter keeps many bots from coming back at one moment. */
export class Backoff {
  readonly #range: BackoffRange;
  #failures = 0;

  constructor(range: BackoffRange) {
    this.#range = range;
  }

  /** How long to wait after one more failure: from half of the bound up to all of it. */
  next(): number {
    const bound = Math.min(this.#range.most, this.#range.first * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 30);
    return bound * (0.5 + Math.random() / 2);
  }

  reset(): void {
    this.#failures = 0;
  }
}
