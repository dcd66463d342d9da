/** After this many failures in a row we consider the upstream down. */
const FAILURES = 3;
/** How long the circuit stays open before one request may probe. */
const REST_MS = 5_000;

/**
 * Stops requests to an upstream that is down, so callers don't wait for it: after consecutive
 * failures it opens for a while, then lets one request probe. Uses a monotonic clock, so setting the
 * system clock neither opens nor closes it.
 */
export class CircuitBreaker {
  readonly #now: () => number;
  #failures = 0;
  #openUntil = 0;
  #isProbing = false;

  constructor(now: () => number) {
    this.#now = now;
  }

  get isOpen(): boolean {
    return this.#failures >= FAILURES;
  }

  /** Milliseconds until a request may be sent; 0 for now. */
  waitMs(): number {
    if (!this.isOpen) return 0;
    const left = this.#openUntil - this.#now();
    if (left > 0) return left;
    return this.#isProbing ? REST_MS : 0;
  }

  /** Call it when sending a request; while open, that request is the probe. */
  begin(): void {
    if (this.isOpen) this.#isProbing = true;
  }

  succeed(): void {
    this.#failures = 0;
    this.#isProbing = false;
  }

  fail(): void {
    this.#failures += 1;
    this.#isProbing = false;
    if (this.isOpen) this.#openUntil = this.#now() + REST_MS;
  }
}
