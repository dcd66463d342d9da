const SMALLEST = 1_024;

/** The earliest day of each wallet, by its number. */
export class FirstDays {
  /** 1 + the day; 0 if the wallet has none. */
  #days = new Uint32Array(SMALLEST);

  /** 1 + the day since 1970; 0 if the wallet has none. */
  get(wallet: number): number {
    return this.#days[wallet] ?? 0;
  }

  set(wallet: number, day: number): void {
    if (wallet >= this.#days.length) {
      const larger = new Uint32Array(Math.max(wallet + 1, this.#days.length * 2));
      larger.set(this.#days);
      this.#days = larger;
    }
    this.#days[wallet] = day;
  }
}
