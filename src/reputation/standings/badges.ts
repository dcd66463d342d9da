import type { BadgeDefinition } from '#reputation/badge';
import type { WalletRecords } from './wallet-columns.ts';

/** A badge's number in the store, and its definition. */
export type NumberedBadge = readonly [number: number, definition: BadgeDefinition];

/** All defined badges, ordered by id. */
export class BadgeCatalog {
  /** By number. */
  #definitions: (BadgeDefinition | undefined)[] = [];
  /** By number: its position when ordered by id. */
  #places: number[] = [];
  /** Numbers, in that order. */
  #ordered: number[] = [];

  /** A copy that can be changed while this one is in use. */
  copy(): BadgeCatalog {
    const copy = new BadgeCatalog();
    copy.#definitions = [...this.#definitions];
    copy.#places = [...this.#places];
    copy.#ordered = [...this.#ordered];
    return copy;
  }

  /**
   * Defines or redefines badges; of several with one number, the last counts. A badge keeps its id.
   * Each call renumbers all badges, so define many at once.
   */
  define(badges: readonly NumberedBadge[]): void {
    const added = badges.filter(([number]) => this.#places[number] === undefined);
    for (const [number, definition] of badges) this.#definitions[number] = definition;
    const numbers = [...new Set(added.map(([number]) => number))];
    if (numbers.length === 0) return;
    numbers.sort((a, b) => (this.#id(a) < this.#id(b) ? -1 : 1));
    const from = this.#insert(numbers);
    for (let place = from; place < this.#ordered.length; place++) {
      this.#places[this.#ordered[place] as number] = place;
    }
  }

  /** Number of defined badges. */
  get size(): number {
    return this.#ordered.length;
  }

  definition(number: number): BadgeDefinition | undefined {
    return this.#definitions[number];
  }

  /** All definitions, ordered by id. */
  *all(): Iterable<BadgeDefinition> {
    for (const number of this.#ordered) {
      const definition = this.#definitions[number];
      if (definition !== undefined) yield definition;
    }
  }

  /** By number; undefined for a badge that isn't defined. */
  get places(): readonly number[] {
    return this.#places;
  }

  /** Whether a badge with this id is defined. */
  knows(id: string): boolean {
    return this.numberOf(id) !== undefined;
  }

  /** The number of the badge with this id; undefined if none is defined. */
  numberOf(id: string): number | undefined {
    const number = this.#ordered[this.#placeFor(id)];
    return number !== undefined && this.#id(number) === id ? number : undefined;
  }

  /** @param added numbers not yet in the order, sorted by id. @returns the position of the first */
  #insert(added: readonly number[]): number {
    const before = this.#ordered;
    const first = this.#placeFor(this.#id(added[0] as number));
    const merged = before.slice(0, first);
    let next = first;
    for (const number of added) {
      const place = this.#placeFor(this.#id(number), next);
      while (next < place) merged.push(before[next++] as number);
      merged.push(number);
    }
    while (next < before.length) merged.push(before[next++] as number);
    this.#ordered = merged;
    return first;
  }

  /** The first position from `from` on whose badge doesn't sort before the id. */
  #placeFor(id: string, from = 0): number {
    let low = from;
    let high = this.#ordered.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#id(this.#ordered[middle] as number) < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #id(number: number): string {
    return (this.#definitions[number] as BadgeDefinition).id;
  }
}

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
