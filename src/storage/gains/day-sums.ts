import { PERIODS } from '#reputation';
import type { Row } from '#storage/sql/script';

const SMALLEST = 1_024;

/** What was given to each wallet within each of PERIODS, which end on one day, made of sums by day. */
export class DaySums {
  /** Shared with the thread that ranks them. */
  readonly #sums: Float64Array<SharedArrayBuffer>[] = PERIODS.map(() => room(SMALLEST));
  /** The first day of each period, since 1970. */
  readonly #firsts: readonly number[];

  /** @param today the last day */
  constructor(today: number) {
    this.#firsts = PERIODS.map((days) => today - days + 1);
  }

  /** By wallet number; some may be beyond the end. @param period a place in PERIODS */
  of(period: number): Float64Array {
    return this.#sums[period] as Float64Array;
  }

  /** Adds a row of `wallet`, `day` and `points`; one without a day is about nothing. */
  add({ wallet, day, points }: Row): void {
    if (day === null) return;
    const number = Number(wallet);
    this.#reserve(number);
    for (const [period, first] of this.#firsts.entries()) {
      const sums = this.#sums[period] as Float64Array;
      if (Number(day) >= first) sums[number] = (sums[number] as number) + Number(points);
    }
  }

  /** Takes back all of a wallet. */
  clear(wallet: number): void {
    for (const sums of this.#sums) if (wallet < sums.length) sums[wallet] = 0;
  }

  #reserve(wallet: number): void {
    for (const [period, sums] of this.#sums.entries()) {
      if (wallet < sums.length) return;
      const larger = room(Math.max(wallet + 1, sums.length * 2));
      larger.set(sums);
      this.#sums[period] = larger;
    }
  }
}

function room(wallets: number): Float64Array<SharedArrayBuffer> {
  return new Float64Array(new SharedArrayBuffer(wallets * Float64Array.BYTES_PER_ELEMENT));
}
