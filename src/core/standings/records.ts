import { CHAINS } from '#core/chain';

const SEGMENT_BITS = 16;
const SEGMENT_SIZE = 1 << SEGMENT_BITS;
const SEGMENT_MASK = SEGMENT_SIZE - 1;

/** 32-bit words a record, and where each field lies. */
const WORDS = 8;
const HANDLE = 0;
const NAME = 1;
/** A double, so in two words. */
const POINTS = 2;
const ACTIVITIES = 4;
const UPDATED_AT = 5;
const BADGE_START = 6;
const BADGE_COUNT = 7;
/** One word has the count of badges in 16 bits, above it the chain in 2, above that the order key. */
const COUNT_MASK = 0xffff;
const CHAIN_SHIFT = 16;
const CHAIN_MASK = 3;
/** As many as CHAIN_MASK tells apart. */
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
 * What is known of each wallet, by its number, in 32 bytes that lie together: a question about a
 * random wallet waits for memory once, not once a column. Segments never move, so growing costs
 * nothing but the new ones.
 */
export class WalletRecords {
  readonly #segments: Segment[] = [];
  #highest = 0;

  /**
   * A fifth chain would spill into the order keys, so CHAINS with five doesn't compile here.
   * @throws RangeError when the field is too narrow for so many chains
   */
  constructor(chains: ChainCount = CHAINS.length) {
    if (chains > CHAIN_MASK + 1) throw new RangeError(`records have no room for ${chains} chains`);
  }

  /** Makes room for numbers up to `highest`. */
  reserve(highest: number): void {
    while (highest >>> SEGMENT_BITS >= this.#segments.length) {
      const words = new Uint32Array(SEGMENT_SIZE * WORDS);
      this.#segments.push({ words, doubles: new Float64Array(words.buffer) });
    }
  }

  /** The highest number of a wallet; 0 when there is none. */
  get highest(): number {
    return this.#highest;
  }

  /** Where the address is kept; 0 for a number that no wallet has. */
  handle(wallet: number): number {
    const segment = this.#segments[wallet >>> SEGMENT_BITS];
    return segment === undefined ? 0 : (segment.words[at(wallet, HANDLE)] as number);
  }

  /** @param orderKey the beginning of the address as a number: where two differ they tell the order */
  setAddress(wallet: number, handle: number, chainIndex: number, orderKey: number): void {
    const words = this.#words(wallet);
    if (wallet > this.#highest) this.#highest = wallet;
    words[at(wallet, HANDLE)] = handle;
    words[at(wallet, BADGE_COUNT)] = (orderKey << ORDER_SHIFT) | (chainIndex << CHAIN_SHIFT);
  }

  orderKey(wallet: number): number {
    return (this.#words(wallet)[at(wallet, BADGE_COUNT)] as number) >>> ORDER_SHIFT;
  }

  /** The chain's place in CHAINS. */
  chainIndex(wallet: number): number {
    const word = this.#words(wallet)[at(wallet, BADGE_COUNT)] as number;
    return (word >>> CHAIN_SHIFT) & CHAIN_MASK;
  }

  /** Where the display name is kept; 0 for none. */
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

  /** @throws RangeError when there is no room for so many */
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
