import { CHAINS } from '#wallet';

const SEGMENT_BITS = 16;
const SEGMENT_SIZE = 1 << SEGMENT_BITS;
const SEGMENT_MASK = SEGMENT_SIZE - 1;
/** Records of the first segment at first; it doubles when full, so that few wallets take little. */
const FIRST_SIZE = 1 << 10;

/** 32-bit words per record, and the offset of each field. */
const WORDS = 8;
const HANDLE = 0;
const NAME = 1;
/** A double, so two words. */
const POINTS = 2;
const ACTIVITIES = 4;
const UPDATED_AT = 5;
const BADGE_START = 6;
const BADGE_COUNT = 7;
/** One word holds the badge count in 16 bits, above it the chain in 2 and the order key. */
const COUNT_MASK = 0xffff;
const CHAIN_SHIFT = 16;
const CHAIN_MASK = 3;
/** As many as CHAIN_MASK can distinguish. */
type ChainCount = 1 | 2 | 3 | 4;
const ORDER_SHIFT = 18;
/** Order keys have 14 bits. */
export const ORDER_KEYS = 1 << 14;

/** The same bytes, seen as integers and as doubles. */
interface Segment {
  readonly words: Uint32Array;
  readonly doubles: Float64Array;
}

/**
 * A wallet's data, by its number, in 32 contiguous bytes: a query for a random wallet costs one
 * cache miss, not one per column. Full segments never move, so growing costs only the new ones.
 */
export class WalletRecords {
  readonly #segments: Segment[] = [];
  /** Numbers below this have space. */
  #room = 0;
  #highest = 0;

  /**
   * A fifth chain would overflow into the order keys, so this doesn't compile with five CHAINS.
   * @throws RangeError if the field is too narrow for the number of chains
   */
  constructor(chains: ChainCount = CHAINS.length) {
    if (chains > CHAIN_MASK + 1) throw new RangeError(`records have no room for ${chains} chains`);
  }

  /** Reserves space for numbers up to `highest`. */
  reserve(highest: number): void {
    if (highest < this.#room) return;
    if (this.#room < SEGMENT_SIZE) {
      let size = Math.max(this.#room, FIRST_SIZE);
      while (size <= highest && size < SEGMENT_SIZE) size *= 2;
      this.#segments[0] = newSegment(size, this.#segments[0]);
      this.#room = size;
    }
    while (highest >= this.#room) {
      this.#segments.push(newSegment(SEGMENT_SIZE));
      this.#room += SEGMENT_SIZE;
    }
  }

  /** The highest wallet number; 0 if there is none. */
  get highest(): number {
    return this.#highest;
  }

  /** The address's handle; 0 for a number that no wallet has. */
  handle(wallet: number): number {
    const segment = this.#segments[wallet >>> SEGMENT_BITS];
    return segment?.words[at(wallet, HANDLE)] ?? 0;
  }

  /**
   * @param orderKey the start of the address as a number: different keys sort like the addresses
   */
  setAddress(wallet: number, handle: number, chainIndex: number, orderKey: number): void {
    const words = this.#words(wallet);
    if (wallet > this.#highest) this.#highest = wallet;
    words[at(wallet, HANDLE)] = handle;
    words[at(wallet, BADGE_COUNT)] = (orderKey << ORDER_SHIFT) | (chainIndex << CHAIN_SHIFT);
  }

  orderKey(wallet: number): number {
    return (this.#words(wallet)[at(wallet, BADGE_COUNT)] as number) >>> ORDER_SHIFT;
  }

  /** The chain's index in CHAINS. */
  chainIndex(wallet: number): number {
    const word = this.#words(wallet)[at(wallet, BADGE_COUNT)] as number;
    return (word >>> CHAIN_SHIFT) & CHAIN_MASK;
  }

  /** The display name's handle; 0 for none. */
  name(wallet: number): number {
    return this.#words(wallet)[at(wallet, NAME)] as number;
  }

  setName(wallet: number, handle: number): void {
    this.#words(wallet)[at(wallet, NAME)] = handle;
  }

  /** Sum of points, which may be negative. */
  points(wallet: number): number {
    return (this.#segments[wallet >>> SEGMENT_BITS] as Segment).doubles[
      at(wallet, POINTS) / 2
    ] as number;
  }

  activities(wallet: number): number {
    return this.#words(wallet)[at(wallet, ACTIVITIES)] as number;
  }

  /** Seconds since 1970. */
  updatedAt(wallet: number): number {
    return this.#words(wallet)[at(wallet, UPDATED_AT)] as number;
  }

  setSums(wallet: number, points: number, activities: number, updatedAt: number): void {
    const { words, doubles } = this.#segments[wallet >>> SEGMENT_BITS] as Segment;
    doubles[at(wallet, POINTS) / 2] = points;
    words[at(wallet, ACTIVITIES)] = activities;
    words[at(wallet, UPDATED_AT)] = updatedAt;
  }

  badgeStart(wallet: number): number {
    return this.#words(wallet)[at(wallet, BADGE_START)] as number;
  }

  setBadgeStart(wallet: number, start: number): void {
    this.#words(wallet)[at(wallet, BADGE_START)] = start;
  }

  badgeCount(wallet: number): number {
    return (this.#words(wallet)[at(wallet, BADGE_COUNT)] as number) & COUNT_MASK;
  }

  /** @throws RangeError if the count doesn't fit */
  setBadgeCount(wallet: number, count: number): void {
    if (count > COUNT_MASK) throw new RangeError('a wallet has too many badges');
    const words = this.#words(wallet);
    const place = at(wallet, BADGE_COUNT);
    words[place] = ((words[place] as number) & ~COUNT_MASK) | count;
  }

  #words(wallet: number): Uint32Array {
    return (this.#segments[wallet >>> SEGMENT_BITS] as Segment).words;
  }
}

function at(wallet: number, field: number): number {
  return (wallet & SEGMENT_MASK) * WORDS + field;
}

/** @param from an empty or smaller one, whose records it takes over */
function newSegment(size: number, from?: Segment): Segment {
  const words = new Uint32Array(size * WORDS);
  if (from !== undefined) words.set(from.words);
  return { words, doubles: new Float64Array(words.buffer) };
}
