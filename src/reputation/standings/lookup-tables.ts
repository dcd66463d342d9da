import { ADDRESS_TEXT_MAX, CHAINS, type Chain } from '#wallet';
import { TEXT_END, type TextArena } from './text-arena.ts';
import { ORDER_KEYS } from './wallet-columns.ts';

/** Maximum load factor: keeps probe sequences to a slot or two. */
const MAX_LOAD = 0.7;
const FNV_PRIME = 0x01000193;

/**
 * A slot holds a wallet's number and, above it, part of its hash, which saves most address
 * comparisons.
 */
const NUMBER_BITS = 27;
const NUMBER_MASK = (1 << NUMBER_BITS) - 1;
/**
 * Slots of a table that was outgrown, moved for each wallet that is added: all of them long before the next
 * time, and never so many at once that requests wait.
 */
const MOVED = 4;

const ZERO = 0x30;
const LOWER_X = 0x78;
/** Digits come before all letters. */
const LETTERS_ABOVE = 0x39;
/** Lower-cases letters and leaves digits as they are. */
const FOLD = 0x20;

const encoder = new TextEncoder();
/** The address that is looked up. Reading a part of a URL character by character takes several times as long. */
const looked = new Uint8Array(ADDRESS_TEXT_MAX);

/** Where a table stores per-wallet data. */
export interface AddressRecords {
  /** Reserves space for numbers up to `highest`. */
  reserve(highest: number): void;
  /** @param handle in the arena @param orderKey the start of the address as a number */
  setAddress(wallet: number, handle: number, chainIndex: number, orderKey: number): void;
  /** The stored handle. */
  handle(wallet: number): number;
}

/**
 * Wallet numbers by address: an open-addressing hash table over an arena. Numbers are positive
 * integers, ideally without gaps. Addresses starting with `0x` are hashed case-insensitively,
 * because people and tools write them in three ways.
 */
export class AddressTable {
  readonly #arena: TextArena;
  readonly #records: AddressRecords;
  #slots = new Uint32Array(2048);
  /** The slots that were outgrown, in which wallets are found until all are moved. */
  #outgrown: Uint32Array | undefined;
  /** How many of those are moved. */
  #moved = 0;
  #count = 0;
  /** Random, so that nobody can craft addresses that collide. */
  readonly #seed = Math.floor(Math.random() * 0x1_0000_0000);

  constructor(arena: TextArena, records: AddressRecords) {
    this.#arena = arena;
    this.#records = records;
  }

  /** Reserves space for a number of wallets up front, which is cheaper than growing. */
  reserve(wallets: number): void {
    if (wallets > this.#slots.length * MAX_LOAD) this.#grow(wallets);
  }

  add(number: number, chain: Chain, address: string): void {
    const bytes = encoder.encode(`${address}\n`);
    this.addAll([number], [CHAINS.indexOf(chain)], bytes, 1);
  }

  /**
   * Adds many wallets, whose numbers must be new.
   * @param chains index in CHAINS of each
   * @param addresses canonical addresses, each followed by TEXT_END
   */
  addAll(
    numbers: ArrayLike<number>,
    chains: ArrayLike<number>,
    addresses: Uint8Array,
    count: number,
  ): void {
    this.reserve(this.#count + count);
    const handle = this.#arena.putAll(addresses);
    let at = 0;
    for (let i = 0; i < count; i++) {
      const number = numbers[i] as number;
      if (number > NUMBER_MASK) throw new RangeError('too many wallets for the table');
      this.#records.reserve(number);
      const key = orderKey(addresses, at);
      this.#records.setAddress(number, handle + at, chains[i] as number, key);
      const fold = addresses[at] === ZERO && addresses[at + 1] === LOWER_X ? FOLD : 0;
      let hash = this.#seed;
      for (let byte = addresses[at++]; byte !== TEXT_END; byte = addresses[at++]) {
        hash = Math.imul(hash ^ ((byte as number) | fold), FNV_PRIME);
      }
      this.#place(number, mixed(hash));
    }
    this.#count += count;
    this.#move(count * MOVED);
  }

  /** The wallet number of a canonical address, or 0. */
  find(address: string): number {
    return this.#search(read(address), false);
  }

  /**
   * Like `find`, but an address starting with `0x` may also be in lower or upper case throughout: then it
   * carries no checksum that could be wrong.
   */
  recognise(address: string): number {
    const length = read(address);
    if (!isFolded(length)) return this.#search(length, false);
    const number = this.#search(length, true);
    if (number === 0 || isOneCase(length)) return number;
    return this.#arena.equals(this.#records.handle(number), looked, length, false) ? number : 0;
  }

  #search(length: number, inAnyCase: boolean): number {
    const hash = this.#hash(length);
    const number = this.#searchIn(this.#slots, hash, length, inAnyCase);
    if (number !== 0 || this.#outgrown === undefined) return number;
    return this.#searchIn(this.#outgrown, hash, length, inAnyCase);
  }

  #searchIn(slots: Uint32Array, hash: number, length: number, inAnyCase: boolean): number {
    const mask = slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const entry = slots[slot] as number;
      if (entry === 0) return 0;
      if (((entry ^ hash) & ~NUMBER_MASK) !== 0) continue;
      const number = entry & NUMBER_MASK;
      const handle = this.#records.handle(number);
      if (this.#arena.equals(handle, looked, length, inAnyCase)) return number;
    }
  }

  #place(number: number, hash: number): void {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = (hash & ~NUMBER_MASK) | number;
  }

  #grow(wallets: number): void {
    this.#move(Number.POSITIVE_INFINITY);
    let size = this.#slots.length;
    while (size * MAX_LOAD < wallets) size *= 2;
    this.#outgrown = this.#slots;
    this.#moved = 0;
    this.#slots = new Uint32Array(size);
  }

  /** Copies the next outgrown slots, rather than take them away: the search ends at an empty one. */
  #move(slots: number): void {
    const outgrown = this.#outgrown;
    if (outgrown === undefined) return;
    const end = Math.min(this.#moved + slots, outgrown.length);
    for (; this.#moved < end; this.#moved++) {
      const entry = outgrown[this.#moved] as number;
      if (entry === 0) continue;
      const number = entry & NUMBER_MASK;
      this.#place(number, this.#hash(read(this.#arena.get(this.#records.handle(number)))));
    }
    if (end === outgrown.length) this.#outgrown = undefined;
  }

  #hash(length: number): number {
    const fold = isFolded(length) ? FOLD : 0;
    let hash = this.#seed;
    for (let i = 0; i < length; i++) {
      hash = Math.imul(hash ^ ((looked[i] as number) | fold), FNV_PRIME);
    }
    return mixed(hash);
  }
}

/** Puts a text where it is looked up. @returns its length; 0, which no address has, if it's too long */
function read(text: string): number {
  const { read, written } = encoder.encodeInto(text, looked);
  return read === text.length ? written : 0;
}

/**
 * The first characters of an address as a number below ORDER_KEYS. If two addresses have different
 * keys, the keys sort like the addresses.
 */
function orderKey(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number;
  const second = bytes[at + 1] as number;
  // Nothing else starts with 0, which sorts first; the digits after `0x` discriminate better.
  if (first === ZERO && second === LOWER_X) {
    return (((bytes[at + 2] as number) - ZERO) << 6) + ((bytes[at + 3] as number) - ZERO);
  }
  return ((first << 7) | (second & 0x7f)) & (ORDER_KEYS - 1);
}

/** Whether the address that is looked up starts with `0x`. */
function isFolded(length: number): boolean {
  return length > 2 && looked[0] === ZERO && looked[1] === LOWER_X;
}

/** Whether the letters behind its `0x` are all lower case, or all upper case. */
function isOneCase(length: number): boolean {
  let cases = 0;
  for (let i = 2; i < length; i++) {
    const byte = looked[i] as number;
    if (byte > LETTERS_ABOVE) cases |= (byte & FOLD) === 0 ? 1 : 2;
  }
  return cases !== 3;
}

/** Mixes an FNV-1a hash, because the table uses its lowest and highest bits. */
function mixed(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (half ^ (half >>> 13)) >>> 0;
}

const FIRST_ROOM = 1024;

/**
 * Wallet numbers by display name: a chained hash table with 16 bytes per name. It stores no texts;
 * callers compare the names it finds. A renamed wallet leaves a stale entry, which is skipped and
 * dropped when the table next runs full.
 */
export class NameTable {
  /** By hash: index of a chain's first entry, plus 1. */
  #heads = new Uint32Array(FIRST_ROOM);
  #hashes = new Uint32Array(FIRST_ROOM);
  #wallets = new Uint32Array(FIRST_ROOM);
  /** The chain's next entry, plus 1. */
  #next = new Uint32Array(FIRST_ROOM);
  #count = 0;
  /** Random, so that nobody can craft names that collide. */
  readonly #seed = Math.floor(Math.random() * 0x1_0000_0000);
  readonly #keyOf: (wallet: number) => string;

  /** @param keyOf the key of a wallet's current name; empty for none */
  constructor(keyOf: (wallet: number) => string) {
    this.#keyOf = keyOf;
  }

  /** @param key of the wallet's new name; not empty */
  add(wallet: number, key: string): void {
    if (this.#count === this.#wallets.length) this.#makeRoom();
    this.#put(wallet, this.#hash(key));
  }

  /**
   * Wallets whose current name has this key, newest names first, without duplicates.
   * @param most how many entries to check: many wallets may share a name
   */
  find(key: string, most: number): number[] {
    const found = new Set<number>();
    const hash = this.#hash(key);
    let place = this.#heads[hash & (this.#heads.length - 1)] as number;
    for (; place !== 0 && found.size < most; place = this.#next[place - 1] as number) {
      if (this.#hashes[place - 1] !== hash) continue;
      const wallet = this.#wallets[place - 1] as number;
      if (this.#keyOf(wallet) === key) found.add(wallet);
    }
    return [...found];
  }

  #put(wallet: number, hash: number): void {
    const place = this.#count++;
    const chain = hash & (this.#heads.length - 1);
    this.#hashes[place] = hash;
    this.#wallets[place] = wallet;
    this.#next[place] = this.#heads[chain] as number;
    this.#heads[chain] = place + 1;
  }

  /** Drops stale entries, and doubles the capacity if that frees less than half of it. */
  #makeRoom(): void {
    const hashes = this.#hashes;
    const wallets = this.#wallets;
    const live = new Map<number, number>();
    for (const [place, wallet] of wallets.entries()) {
      const hash = hashes[place] as number;
      if (this.#hash(this.#keyOf(wallet)) === hash) live.set(wallet, hash);
    }
    const room = live.size > wallets.length / 2 ? wallets.length * 2 : wallets.length;
    this.#heads = new Uint32Array(room);
    this.#hashes = new Uint32Array(room);
    this.#wallets = new Uint32Array(room);
    this.#next = new Uint32Array(room);
    this.#count = 0;
    for (const [wallet, hash] of live) this.#put(wallet, hash);
  }

  #hash(key: string): number {
    let hash = this.#seed;
    for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), FNV_PRIME);
    return (hash ^ (hash >>> 15)) >>> 0;
  }
}
