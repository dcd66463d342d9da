import { discounted, type WalletDiscount } from './discounts.ts';

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

/**
 * ⌊points · 2^(−days / halfLife)⌋, exact.
 * @param points from 0 to 2^53 − 1
 * @param days whole days since the points were given, from 0
 * @param halfLife whole days, from 1
 */
export function remaining(points: number, days: number, halfLife: number): number {
  if (points === 0 || days === 0) return points;
  const whole = Math.floor(days / halfLife);
  if (whole > 53) return 0;
  if (days % halfLife === 0) return Number(BigInt(points) >> BigInt(whole));
  const estimate = points * 2 ** (-days / halfLife);
  const near = Math.round(estimate);
  // The estimate is accurate to some 15 digits. Only results that close to an integer need more,
  // and are off by a few at most.
  if (Math.abs(estimate - near) > estimate * 1e-12 + 1e-9) return Math.floor(estimate);
  let left = near;
  while (!reaches(points, days, halfLife, left)) left -= 1;
  while (reaches(points, days, halfLife, left + 1)) left += 1;
  return left;
}

/** Whether points · 2^(−days / halfLife) ≥ least, in integers: points^h ≥ least^h · 2^d. */
function reaches(points: number, days: number, halfLife: number, least: number): boolean {
  if (least <= 0) return true;
  const divisor = greatestDivisor(days, halfLife);
  const power = BigInt(halfLife / divisor);
  return BigInt(points) ** power >= (BigInt(least) ** power) << BigInt(days / divisor);
}

function greatestDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestDivisor(other, one % other);
}
