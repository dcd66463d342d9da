import { grown } from './growable.ts';
import type { WalletRecords } from './records.ts';

/**
 * A short list of badge numbers per wallet, all in one array. A list has capacity for 1, 2, 4, 8 …
 * badges; one that outgrows its block moves, and its old block is reused.
 */
export class BadgeLists {
  readonly #records: WalletRecords;
  /** Index 0 is never allocated, so a start of 0 means "no block yet". */
  #items = new Uint32Array(1024);
  #end = 1;
  /** Free blocks by the power of two of their size. */
  readonly #free: number[][] = [];

  constructor(records: WalletRecords) {
    this.#records = records;
  }

  /** The badge at an index of the wallet's list, which must be below its count. */
  at(wallet: number, place: number): number {
    return this.#items[this.#records.badgeStart(wallet) + place] as number;
  }

  /** Reserves space for a number of badges in all. */
  reserve(badges: number): void {
    // Partly filled lists leave about a third of the space unused.
    this.#items = grown(this.#items, Math.ceil(badges * 1.4));
  }

  /**
   * Adds a badge to a wallet's list, in order.
   * @param places sort position by badge
   * @returns false if the wallet has it already
   */
  add(wallet: number, badge: number, places: readonly number[]): boolean {
    const count = this.#records.badgeCount(wallet);
    const from = this.#records.badgeStart(wallet);
    const own = places[badge] as number;
    let place = count;
    // From the end, where most insertions happen.
    while (place > 0) {
      const other = this.#items[from + place - 1] as number;
      if (other === badge) return false;
      if ((places[other] as number) < own) break;
      place--;
    }
    const start = this.#roomFor(wallet, count);
    this.#items.copyWithin(start + place + 1, start + place, start + count);
    this.#items[start + place] = badge;
    this.#records.setBadgeCount(wallet, count + 1);
    return true;
  }

  /**
   * Removes a badge from a wallet's list. That is rare, so a block that becomes too large isn't
   * shrunk.
   * @returns false if the wallet doesn't have it
   */
  remove(wallet: number, badge: number): boolean {
    const count = this.#records.badgeCount(wallet);
    const from = this.#records.badgeStart(wallet);
    const place = this.#items.subarray(from, from + count).indexOf(badge);
    if (place === -1) return false;
    this.#items.copyWithin(from + place, from + place + 1, from + count);
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
    this.#items.copyWithin(room, start, start + count);
    if (count > 0) this.#freed(power - 1).push(start);
    this.#records.setBadgeStart(wallet, room);
    return room;
  }

  #allot(power: number): number {
    const reused = this.#freed(power).pop();
    if (reused !== undefined) return reused;
    const room = this.#end;
    this.#end += 2 ** power;
    this.#items = grown(this.#items, this.#end);
    return room;
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
