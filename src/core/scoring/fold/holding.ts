import { dayOf } from '#core/scoring/days';

/** What a fold of a balance remembers of one wallet. */
export interface HoldingState {
  readonly balance: bigint;
  /** The least that was held since the midnight that begins `day`. */
  readonly lowest: bigint;
  readonly day: number;
}

/** Folds the changes of one wallet's balance into the days on which it never fell below a least. */
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

  /** The days that ended at the midnights up to the one that begins `day`, and that pay. */
  *advance(day: number): Generator<number> {
    if (this.#day === undefined) {
      this.#day = day;
      return;
    }
    while (this.#day < day) {
      if (this.#lowest >= this.#min) yield this.#day;
      this.#lowest = this.#balance;
      // Nothing pays until the balance changes, so the days between need not be counted.
      this.#day = this.#balance < this.#min ? day : this.#day + 1;
    }
  }

  /**
   * Takes a change, once the midnights before it were taken.
   * @param time seconds since 1970
   * @throws when those midnights weren't taken
   */
  change(amount: bigint, time: number): void {
    const day = dayOf(time);
    this.#day ??= day;
    if (day !== this.#day) throw new Error(`Day ${day} was not advanced to.`);
    this.#balance += amount;
    if (this.#balance < this.#lowest) this.#lowest = this.#balance;
  }

  /** Below zero, the events were not all there were, or the token isn't kept by them. */
  get balance(): bigint {
    return this.#balance;
  }
}
