import { discounted, type WalletDiscount } from './discounts.ts';
import { remaining } from './half-life.ts';

/** Points that a later midnight may still change, through a half-life or a discount's end. */
export interface OpenPoints {
  /** The day they were given. */
  readonly day: number;
  /** After the cap, before discounts. */
  readonly base: number;
  /** The monthly step they were last counted at, or their own day. */
  readonly steppedOn: number;
  /** How many activities share all of this. */
  readonly count: number;
}

/** Their current worth. @param asOf the day whose discounts still apply */
function worthOf(
  open: OpenPoints,
  discounts: readonly WalletDiscount[],
  halfLifeDays: number | undefined,
  asOf: number,
): number {
  const points = discounted(open.base, discounts, Math.max(open.day, asOf));
  if (halfLifeDays === undefined) return points * open.count;
  return remaining(points, open.steppedOn - open.day, halfLifeDays) * open.count;
}

/** All of a wallet's points under a rule that are still open. */
export class OpenLedger {
  readonly #discounts: readonly WalletDiscount[];
  readonly #halfLifeDays: number | undefined;
  #entries: OpenPoints[];

  constructor(
    discounts: readonly WalletDiscount[],
    halfLifeDays: number | undefined,
    entries: readonly OpenPoints[],
  ) {
    this.#discounts = discounts;
    this.#halfLifeDays = halfLifeDays;
    this.#entries = [...entries];
  }

  get entries(): readonly OpenPoints[] {
    return this.#entries;
  }

  /** @param today the last midnight processed, or the day itself */
  add(day: number, base: number, today: number): void {
    if (base <= 0) return;
    const added = { day, base, steppedOn: day, count: 1 };
    if (this.#isSettled(added, today)) return;
    const alike = this.#entries.findIndex(
      (each) => each.day === day && each.base === base && each.steppedOn === day,
    );
    if (alike === -1) this.#entries.push(added);
    else this.#entries[alike] = { ...added, count: (this.#entries[alike]?.count ?? 0) + 1 };
  }

  /** The next midnight after `today` that changes anything; undefined: none does. */
  next(today: number, nextMonth: (day: number) => number): number | undefined {
    if (this.#entries.length === 0) return undefined;
    let next = this.#halfLifeDays === undefined ? undefined : nextMonth(today);
    for (const { until } of this.#discounts) {
      if (until !== undefined && until > today && !(next !== undefined && next < until)) {
        next = until;
      }
    }
    return next;
  }

  /**
   * Processes a day's monthly step.
   * @returns the change, at most 0
   */
  decay(today: number): number {
    let change = 0;
    this.#entries = this.#entries.map((each) => {
      if (each.day >= today) return each;
      const stepped = { ...each, steppedOn: today };
      // Discounts that end today still count: their end is a step of its own.
      change += this.#worth(stepped, today - 1) - this.#worth(each, today - 1);
      return stepped;
    });
    this.#drop(today);
    return change;
  }

  /**
   * Ends the discounts of a day.
   * @returns the change, at least 0
   */
  restore(today: number): number {
    let change = 0;
    for (const each of this.#entries) {
      if (each.day < today) change += this.#worth(each, today) - this.#worth(each, today - 1);
    }
    this.#drop(today);
    return change;
  }

  #worth(open: OpenPoints, asOf: number): number {
    return worthOf(open, this.#discounts, this.#halfLifeDays, asOf);
  }

  #drop(today: number): void {
    this.#entries = this.#entries.filter((each) => !this.#isSettled(each, today));
  }

  /** Whether nothing can change them any more. */
  #isSettled(open: OpenPoints, today: number): boolean {
    const mayBeRestored = this.#discounts.some(
      ({ until, factor }) =>
        until !== undefined && until > Math.max(today, open.day) && factor < 1000,
    );
    if (this.#halfLifeDays === undefined) return !mayBeRestored;
    const all = mayBeRestored
      ? this.#worth(open, Number.MAX_SAFE_INTEGER)
      : this.#worth(open, today);
    return all === 0;
  }
}
