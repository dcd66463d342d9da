import { CHAINS, type Chain } from '#core/chain';
import { grown } from './growable.ts';
import { TEXT_END, type TextArena } from './text-arena.ts';

/** At most this share of the slots is taken, so that a search ends after a slot or two. */
const MAX_LOAD = 0.7;
const FNV_PRIME = 0x01000193;

const encoder = new TextEncoder();

/**
 * Addresses by wallet number and wallet numbers by address: an open-addressing hash table over an
 * arena, some 60 bytes a wallet. Numbers are positive integers, best without gaps.
 */
export class AddressTable {
  readonly #arena: TextArena;
  #handles = new Uint32Array(1024);
  #chains = new Uint8Array(1024);
  #slots = new Uint32Array(2048);
  #count = 0;
  /** Random, so that nobody can choose addresses that all fall into one slot. */
  readonly #seed = Math.floor(Math.random() * 0x1_0000_0000);

  constructor(arena: TextArena) {
    this.#arena = arena;
  }

  get count(): number {
    return this.#count;
  }

  /** Makes room for numbers up to `highest` at once, which is cheaper than growing there. */
  reserve(highest: number): void {
    this.#handles = grown(this.#handles, highest + 1);
    this.#chains = grown(this.#chains, highest + 1);
    if (highest > this.#slots.length * MAX_LOAD) this.#rehash(highest);
  }

  add(number: number, chain: Chain, address: string): void {
    const bytes = encoder.encode(`${address}\n`);
    this.addAll([number], [CHAINS.indexOf(chain)], bytes, 1);
  }

  /**
   * Adds many wallets, whose numbers must be new.
   * @param chains each one's place in CHAINS
   * @param addresses canonical addresses, each with TEXT_END behind it
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
      if (number >= this.#handles.length) this.reserve(number);
      this.#handles[number] = handle + at;
      this.#chains[number] = chains[i] as number;
      let hash = this.#seed;
      for (let byte = addresses[at++]; byte !== TEXT_END; byte = addresses[at++]) {
        hash = Math.imul(hash ^ (byte as number), FNV_PRIME);
      }
      this.#place(number, mixed(hash));
    }
    this.#count += count;
  }

  has(number: number): boolean {
    return (this.#handles[number] ?? 0) !== 0;
  }

  /** The wallet number of a canonical address, or 0. */
  find(address: string): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let slot = this.#hash(address) & mask; ; slot = (slot + 1) & mask) {
      const number = slots[slot] as number;
      if (number === 0) return 0;
      if (this.#arena.equals(this.#handles[number] as number, address)) {
        return number;
      }
    }
  }

  address(number: number): string {
    return this.#arena.get(this.#handles[number] as number);
  }

  chain(number: number): Chain {
    return CHAINS[this.#chains[number] as number] as Chain;
  }

  /** The chain's place in CHAINS. */
  chainIndex(number: number): number {
    return this.#chains[number] as number;
  }

  /** Orders two wallets by address. */
  compare(a: number, b: number): number {
    return this.#arena.compare(this.#handles[a] as number, this.#handles[b] as number);
  }

  #place(number: number, hash: number): void {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = number;
  }

  #rehash(wallets: number): void {
    const old = this.#slots;
    let size = old.length;
    while (size * MAX_LOAD < wallets) size *= 2;
    this.#slots = new Uint32Array(size);
    for (const number of old) {
      if (number === 0) continue;
      this.#place(number, this.#hash(this.address(number)));
    }
  }

  #hash(text: string): number {
    let hash = this.#seed;
    const length = text.length;
    for (let i = 0; i < length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), FNV_PRIME);
    return mixed(hash);
  }
}

/** Spreads an FNV-1a hash over all bits, because the table takes the low ones. */
function mixed(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (half ^ (half >>> 13)) >>> 0;
}
