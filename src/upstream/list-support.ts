/** How long an upstream without lists isn't asked for one: it may be updated meanwhile. */
const ABSENT_MS = 600_000;

/** Whether the upstream answers for lists of addresses, which not every one does. */
export class ListSupport {
  readonly #now: () => number;
  #absentUntil = 0;

  /** @param now milliseconds of a monotonic clock */
  constructor(now: () => number) {
    this.#now = now;
  }

  get isAbsent(): boolean {
    return this.#now() < this.#absentUntil;
  }

  noteAbsent(): void {
    this.#absentUntil = this.#now() + ABSENT_MS;
  }
}
