const FIRST_ROOM = 1024;
const FNV_PRIME = 0x01000193;

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
