/** So many failures in a row mean that the upstream is down. */
const FAILURES = 3;
/** After this one request may try whether it is back. */
const REST_MS = 5_000;

/**
 * Spares an upstream that is down, and those who would wait for it: after failures in a row nothing
 * is asked for a while, then one request tries. By a clock that only goes forward, so that a step of
 * the system's clock neither keeps it open nor closes it.
 */
export class Breaker {
  readonly #now: () => number;
  #failures = 0;
  #openUntil = 0;
  #isTrying = false;

  constructor(now: () => number) {
    this.#now = now;
  }

  get isOpen(): boolean {
    return this.#failures >= FAILURES;
  }

  /** Milliseconds until a request may leave; 0 for at once. */
  waitMs(): number {
    if (!this.isOpen) return 0;
    const left = this.#openUntil - this.#now();
    if (left > 0) return left;
    return this.#isTrying ? REST_MS : 0;
  }

  /** A request leaves; while open it is the one that tries. */
  begin(): void {
    if (this.isOpen) this.#isTrying = true;
  }

  succeed(): void {
    this.#failures = 0;
    this.#isTrying = false;
  }

  fail(): void {
    this.#failures += 1;
    this.#isTrying = false;
    if (this.isOpen) this.#openUntil = this.#now() + REST_MS;
  }
}
