const FIRST_ROOM = 1024;
const FNV_PRIME = 0x01000193;

/**
 * Wallet numbers by display name: a hash table of chains, in 16 bytes a name. It holds no texts; who
 * asks compares the names that it finds. A wallet that was called otherwise since leaves an entry
 * behind, which is passed over and goes when the table next runs full.
 */
export class NameTable {
  /** By hash, the place of the first entry of a chain, plus 1. */
  #heads = new Uint32Array(FIRST_ROOM);
  #hashes = new Uint32Array(FIRST_ROOM);
  #wallets = new Uint32Array(FIRST_ROOM);
  /** The next entry of the chain, plus 1. */
  #next = new Uint32Array(FIRST_ROOM);
  #count = 0;
  /** Random, so that nobody can choose names that all fall into one chain. */
  readonly #seed = Math.floor(Math.random() * 0x1_0000_0000);
  readonly #keyOf: (wallet: number) => string;

  /** @param keyOf the key of the name that a wallet has now; empty for none */
  constructor(keyOf: (wallet: number) => string) {
    this.#keyOf = keyOf;
  }

  /** @param key of a name that the wallet has from now on; not empty */
  add(wallet: number, key: string): void {
    if (this.#count === this.#wallets.length) this.#makeRoom();
    this.#put(wallet, this.#hash(key));
  }

  /**
   * Wallets that have a name with this key now, the newest names first, each once.
   * @param most how many of them are looked at: many may have the same name
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

  /** Drops what no longer holds, and doubles the room if that frees less than half of it. */
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
