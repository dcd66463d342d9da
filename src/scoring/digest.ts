/** An incremental SHA-256, such as `createHash('sha256')` of `node:crypto`. */
export interface Sha256Stream {
  update(text: string | Uint8Array): unknown;
  digest(encoding: 'hex'): string;
}

/** Characters hashed per call: a call per line would take most of the time. */
const AT_ONCE = 16_384;

/**
 * The digest of all scores, which shows whether two machines computed the same: SHA-256 over the
 * lines `address score\n`, in byte order of the addresses as shown. Wallets without an activity are
 * left out.
 */
export class ScoreDigest {
  readonly #sha256: Sha256Stream;
  #pending = '';
  #last = '';

  constructor(sha256: Sha256Stream) {
    this.#sha256 = sha256;
  }

  /**
   * Adds a wallet with at least one activity.
   * @param address canonical; greater than all added before, see `compareAddresses`
   * @param points the sum of its activities, which counts as 0 if negative
   */
  add(address: string, points: number): void {
    if (compareAddresses(this.#last, address) >= 0) {
      throw new Error(`${address} is out of order in a digest`);
    }
    this.#last = address;
    this.#pending += `${address} ${Math.max(0, points)}\n`;
    if (this.#pending.length >= AT_ONCE) this.#flush();
  }

  /** 64 lower-case hex digits. Nothing can be added afterwards. */
  hex(): string {
    this.#flush();
    return this.#sha256.digest('hex');
  }

  #flush(): void {
    this.#sha256.update(this.#pending);
    this.#pending = '';
  }
}

/** Byte order of addresses, which are ASCII. */
export function compareAddresses(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
