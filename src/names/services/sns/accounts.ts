import { hash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { fieldOf, UserError, wallSeconds } from '#base';
import { JsonService } from '#linking/proofs';

const HIGHEST_BUMP = 255;

/** Whether an address can be a public key: a point on the curve. Program addresses never are. */
export function isOnCurve(bytes: Uint8Array): boolean {
  try {
    // As lenient as Solana's own decoding.
    ed25519.Point.fromBytes(bytes, true);
    return true;
  } catch {
    return false;
  }
}

/**
 * The address that a program derives from seeds: the first hash that isn't on the curve.
 * https://solana.com/docs/core/pda
 */
export function programAddress(program: string, ...seeds: readonly Uint8Array[]): string {
  const rest = [base58.decode(program), Buffer.from('ProgramDerivedAddress')];
  for (let bump = HIGHEST_BUMP; bump >= 0; bump--) {
    const hashed = sha256(Buffer.concat([...seeds, Uint8Array.of(bump), ...rest]));
    if (!isOnCurve(hashed)) return base58.encode(hashed);
  }
  throw new Error('no bump leads off the curve');
}

export function sha256(bytes: Uint8Array | string): Uint8Array {
  return hash('sha256', bytes, 'buffer');
}

/** The sysvar with the cluster's time, and the most other accounts per request. */
const CLOCK = 'SysvarC1ock11111111111111111111111111111111';
const AT_ONCE = 99;
const CLOCK_BYTES = 40;
/** A node this far behind is out of date. */
const OLDEST_S = 600;
/** Mainnet's genesis hash. */
const GENESIS = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const COMMITMENT = 'confirmed';

export interface SolanaAccount {
  /** The program that owns it. */
  readonly program: string;
  readonly data: Uint8Array;
}

interface Waiting {
  readonly address: string;
  readonly found: PromiseWithResolvers<SolanaAccount | undefined>;
}

/** Reads accounts from a Solana mainnet node, many per request. */
export class SolanaAccounts {
  readonly #service: JsonService;
  readonly #bytes: number;
  #isMainnet = false;
  #waiting: Waiting[] = [];
  #slot = 0;

  /**
   * @param bytes how much of each account to read
   * @param timeoutMs per request
   * @throws UserError `wrong-configuration`
   */
  constructor(url: string, bytes: number, timeoutMs: number) {
    this.#service = new JsonService('Solana node', url, timeoutMs);
    this.#bytes = bytes;
  }

  /** The height of the last response. */
  get slot(): number {
    return this.#slot;
  }

  /**
   * An account; undefined if it doesn't exist.
   * @throws RetryableError; UserError `wrong-configuration` if the node isn't on mainnet
   */
  async get(address: string): Promise<SolanaAccount | undefined> {
    const found = Promise.withResolvers<SolanaAccount | undefined>();
    this.#waiting.push({ address, found });
    if (this.#waiting.length === 1) setImmediate(() => this.#flush());
    return await found.promise;
  }

  /** The account that holds most of a token. @throws as `get` */
  async largestTokenAccount(mint: string): Promise<string | undefined> {
    const result = await this.#service.call('getTokenLargestAccounts', [
      mint,
      { commitment: COMMITMENT },
    ]);
    const list = fieldOf(result, 'value');
    if (!Array.isArray(list)) throw this.#service.nonsense();
    const address = fieldOf(list[0], 'address');
    if (list.length > 0 && typeof address !== 'string') throw this.#service.nonsense();
    return address as string | undefined;
  }

  #flush(): void {
    const all = this.#waiting;
    this.#waiting = [];
    for (let i = 0; i < all.length; i += AT_ONCE) void this.#settle(all.slice(i, i + AT_ONCE));
  }

  async #settle(asked: readonly Waiting[]): Promise<void> {
    try {
      const accounts = await this.#read(asked.map(({ address }) => address));
      for (const [i, { found }] of asked.entries()) found.resolve(accounts[i]);
    } catch (error) {
      for (const { found } of asked) found.reject(error);
    }
  }

  async #read(addresses: readonly string[]): Promise<readonly (SolanaAccount | undefined)[]> {
    await this.#requireMainnet();
    const result = await this.#service.call('getMultipleAccounts', [
      [CLOCK, ...addresses],
      {
        encoding: 'base64',
        commitment: COMMITMENT,
        dataSlice: { offset: 0, length: this.#bytes },
      },
    ]);
    const list = fieldOf(result, 'value');
    if (!Array.isArray(list) || list.length !== addresses.length + 1)
      throw this.#service.nonsense();
    const [clock, ...accounts] = list.map((each) => this.#account(each));
    this.#noteClock(clock);
    return accounts;
  }

  #account(value: unknown): SolanaAccount | undefined {
    if (value === null) return undefined;
    const program = fieldOf(value, 'owner');
    const data = fieldOf(value, 'data');
    const [text, encoding]: unknown[] = Array.isArray(data) ? data : [];
    const isGood = typeof text === 'string' && encoding === 'base64' && BASE64.test(text);
    if (!isGood || typeof program !== 'string') throw this.#service.nonsense();
    return { program, data: Buffer.from(text, 'base64').subarray(0, this.#bytes) };
  }

  /** @throws RetryableError if the node is behind */
  #noteClock(account: SolanaAccount | undefined): void {
    if (account === undefined || account.data.length < CLOCK_BYTES) throw this.#service.nonsense();
    const bytes = Buffer.from(account.data);
    const time = Number(bytes.readBigInt64LE(CLOCK_BYTES - 8));
    if (wallSeconds() - time > OLDEST_S) throw this.#service.failure('is far behind the chain');
    this.#slot = Number(bytes.readBigUInt64LE(0));
  }

  /** Checked until it passes once: the configuration may get corrected. */
  async #requireMainnet(): Promise<void> {
    if (this.#isMainnet) return;
    const genesis = await this.#service.call('getGenesisHash', []);
    if (genesis !== GENESIS) {
      throw new UserError('wrong-configuration', "The Solana node isn't on mainnet.");
    }
    this.#isMainnet = true;
  }
}
