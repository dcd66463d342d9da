/** Events in memory at a time, about: they take some 500 bytes each. */
const EVENTS = 50_000;
const FIRST = 32;

/** How many wallets to read at a time, by how many events the ones before had. */
export class PageSize {
  readonly #most: number;
  #wallets: number;

  /** @param most wallets */
  constructor(most: number) {
    this.#most = most;
    this.#wallets = Math.min(most, FIRST);
  }

  get wallets(): number {
    return this.#wallets;
  }

  /** @param events of the last page */
  saw(events: number): void {
    const room = Math.min(2, EVENTS / Math.max(1, events));
    this.#wallets = Math.max(1, Math.min(this.#most, Math.floor(this.#wallets * room)));
  }
}
