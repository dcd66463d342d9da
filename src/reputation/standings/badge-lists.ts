import type { WalletRecords } from './wallet-columns.ts';

/** Words per badge: its number, and when it was earned, in seconds since 1970. */
const WORDS = 2;
/** In place of a time from 2106 on, or before 1970, which doesn't fit. */
const ELSEWHERE = 0xffff_ffff;

/**
 * A short list per wallet of badges and when they were earned, all in one array. A list has capacity for 1,
 * 2, 4, 8 … badges; one that outgrows its block moves, and its old block is reused.
 */
export class BadgeLists {
  readonly #records: WalletRecords;
  /** The badge at index n has its words at n * WORDS. Index 0 is never allocated: it means "no block yet". */
  #words = new Uint32Array(1024);
  /** Times that don't fit, by `awardKey`. */
  readonly #elsewhere = new Map<number, number>();
  #end = 1;
  /** Free blocks by the power of two of their size. */
  readonly #free: number[][] = [];

  constructor(records: WalletRecords) {
    this.#records = records;
  }

  /** The badge at an index of the wallet's list, which must be below its count. */
  at(wallet: number, place: number): number {
    return this.#words[(this.#records.badgeStart(wallet) + place) * WORDS] as number;
  }

  /** When the badge at an index of the wallet's list was earned. */
  earnedAt(wallet: number, place: number): number {
    const at = (this.#records.badgeStart(wallet) + place) * WORDS;
    const time = this.#words[at + 1] as number;
    if (time !== ELSEWHERE) return time;
    return this.#elsewhere.get(awardKey(wallet, this.#words[at] as number)) as number;
  }

  /** The badge's index in the wallet's list; -1 if the wallet doesn't have it. */
  placeOf(wallet: number, badge: number): number {
    const count = this.#records.badgeCount(wallet);
    for (let place = 0; place < count; place++) if (this.at(wallet, place) === badge) return place;
    return -1;
  }

  /** Replaces the time at an index of the wallet's list. */
  setEarnedAt(wallet: number, place: number, time: number): void {
    const at = (this.#records.badgeStart(wallet) + place) * WORDS;
    const key = awardKey(wallet, this.#words[at] as number);
    const fits = time >= 0 && time < ELSEWHERE;
    if (!fits) this.#elsewhere.set(key, time);
    else if (this.#words[at + 1] === ELSEWHERE) this.#elsewhere.delete(key);
    this.#words[at + 1] = fits ? time : ELSEWHERE;
  }

  /** Reserves space for a number of badges in all. */
  reserve(badges: number): void {
    // Partly filled lists leave about a third of the space unused.
    this.#words = grown(this.#words, Math.ceil(badges * 1.4) * WORDS);
  }

  /**
   * Adds a badge to a wallet's list, in order. One that it has already counts from the earlier time.
   * @param places sort position by badge
   * @returns false if the wallet has it already
   */
  add(wallet: number, badge: number, earnedAt: number, places: readonly number[]): boolean {
    const count = this.#records.badgeCount(wallet);
    const own = places[badge] as number;
    let place = count;
    // From the end, where most insertions happen.
    while (place > 0) {
      const other = this.at(wallet, place - 1);
      if (other === badge) {
        if (earnedAt < this.earnedAt(wallet, place - 1)) {
          this.setEarnedAt(wallet, place - 1, earnedAt);
        }
        return false;
      }
      if ((places[other] as number) < own) break;
      place--;
    }
    const start = this.#roomFor(wallet, count);
    this.#move(start + place, start + count, start + place + 1);
    this.#words[(start + place) * WORDS] = badge;
    this.#words[(start + place) * WORDS + 1] = 0;
    this.setEarnedAt(wallet, place, earnedAt);
    this.#records.setBadgeCount(wallet, count + 1);
    return true;
  }

  /**
   * Removes a badge from a wallet's list. That is rare, so a block that becomes too large isn't
   * shrunk.
   * @returns false if the wallet doesn't have it
   */
  remove(wallet: number, badge: number): boolean {
    const place = this.placeOf(wallet, badge);
    if (place === -1) return false;
    const count = this.#records.badgeCount(wallet);
    const from = this.#records.badgeStart(wallet);
    this.#elsewhere.delete(awardKey(wallet, badge));
    this.#move(from + place + 1, from + count, from + place);
    this.#records.setBadgeCount(wallet, count - 1);
    return true;
  }

  /** The start of a block with capacity for one badge more than `count`. */
  #roomFor(wallet: number, count: number): number {
    const start = this.#records.badgeStart(wallet);
    const full = (count & (count - 1)) === 0;
    if (!full) return start;
    const power = count === 0 ? 0 : Math.log2(count) + 1;
    const room = this.#allot(power);
    this.#move(start, start + count, room);
    if (count > 0) this.#freed(power - 1).push(start);
    this.#records.setBadgeStart(wallet, room);
    return room;
  }

  #allot(power: number): number {
    const reused = this.#freed(power).pop();
    if (reused !== undefined) return reused;
    const room = this.#end;
    this.#end += 2 ** power;
    this.#words = grown(this.#words, this.#end * WORDS);
    return room;
  }

  /** Copies badges from one index up to another. */
  #move(from: number, end: number, to: number): void {
    if (end > from) this.#words.copyWithin(to * WORDS, from * WORDS, end * WORDS);
  }

  #freed(power: number): number[] {
    let rooms = this.#free[power];
    if (rooms === undefined) {
      rooms = [];
      this.#free[power] = rooms;
    }
    return rooms;
  }
}

/** Both numbers in one: there are fewer than 2^28 wallets and 2^24 badges. */
function awardKey(wallet: number, badge: number): number {
  return wallet * 2 ** 24 + badge;
}

/**
 * A copy of a typed array with room for at least `length` elements. It grows by a quarter rather
 * than a half: with millions of wallets, slack is wasted memory.
 */
export function grown<T extends Uint8Array | Uint16Array | Uint32Array | Float64Array>(
  array: T,
  length: number,
): T {
  if (length <= array.length) return array;
  const size = Math.max(length, Math.ceil(array.length * 1.25), 1024);
  const bigger = new (array.constructor as new (size: number) => T)(size);
  bigger.set(array);
  return bigger;
}
