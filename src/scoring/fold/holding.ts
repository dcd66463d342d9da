import { dayOf } from '#base';

/** A balance fold's state for one wallet. */
export interface HoldingState {
  readonly balance: bigint;
  /** The lowest balance since the midnight that begins `day`. */
  readonly lowest: bigint;
  readonly day: number;
}

/** Folds a wallet's balance changes into the days on which it never fell below a minimum. */
export class HoldingFold {
  readonly #min: bigint;
  #balance: bigint;
  #lowest: bigint;
  #day: number | undefined;

  constructor(min: bigint, state?: HoldingState) {
    this.#min = min;
    this.#balance = state?.balance ?? 0n;
    this.#lowest = state?.lowest ?? 0n;
    this.#day = state?.day;
  }

  get state(): HoldingState | undefined {
    if (this.#day === undefined) return undefined;
    return { balance: this.#balance, lowest: this.#lowest, day: this.#day };
  }

  /** Ends the days up to the midnight that begins `day`, and returns those that pay. */
  *advance(day: number): Generator<number> {
    if (this.#day === undefined) {
      this.#day = day;
      return;
    }
    while (this.#day < day) {
      if (this.#lowest >= this.#min) yield this.#day;
      this.#lowest = this.#balance;
      // Nothing pays until the balance changes, so skip the days between.
      this.#day = this.#balance < this.#min ? day : this.#day + 1;
    }
  }

  /**
   * Applies a change, after the midnights before it.
   * @param time seconds since 1970
   * @throws if those midnights weren't processed
   */
  change(amount: bigint, time: number): void {
    const day = dayOf(time);
    this.#day ??= day;
    if (day !== this.#day) throw new Error(`Day ${day} was not advanced to.`);
    this.#balance += amount;
    if (this.#balance < this.#lowest) this.#lowest = this.#balance;
  }

  /** Below zero: events are missing, or the token's balances don't follow its events. */
  get balance(): bigint {
    return this.#balance;
  }
}
