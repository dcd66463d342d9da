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
function programAddress(program: string, ...seeds: readonly Uint8Array[]): string {
  const rest = [base58.decode(program), Buffer.from('ProgramDerivedAddress')];
  for (let bump = HIGHEST_BUMP; bump >= 0; bump--) {
    const hashed = sha256(Buffer.concat([...seeds, Uint8Array.of(bump), ...rest]));
    if (!isOnCurve(hashed)) return base58.encode(hashed);
  }
  throw new Error('no bump leads off the curve');
}

function sha256(bytes: Uint8Array | string): Uint8Array {
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

interface SolanaAccount {
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

/**
 * The accounts of the Solana Name Service and their addresses. https://github.com/SolanaNameService/sns-sdk,
 * https://github.com/solana-program/name-service
 */
const NAMES = 'namesLPneVptA9Z5rqUDD9tMTWEJwofgaYwp8cawRkX';
const OFFERS = '85iDfUvr3HJyLM2zcq5BXSiDvUWfw6cSE1FfNBo8Ap29';
const TOKENIZER = 'nftD3vbNkNqfj2Sd3HZwbpw4BxxKWr4AjGb9X38JeZk';
const TOKENS = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const TOKEN_ACCOUNTS = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
const RECORDS = 'srsWjm76StJucL7atFyPSdXFaVLNPFqEt1uFEDPrZsn';
/** The parent of all top-level domains. */
export const ROOT = '58PwtjSDuFHuUkYjH9BYnnQKHfwo9reZhC2zMJv9JPkx';
const REVERSE_CLASS = '33m47vH6Eav6jr5Ry86XjhRft2jRBLDnDgPSHoquXi2Z';
const RECORD_V2_CLASS = '2pMnqHvei2N5oDcVGCRdZx48gqti199wr5CsyTTafsbo';
const SOL_CLASS = 'AjheAtCgSwEcEYd6xi6thcQW25ELWd7wKCx6SKBGUtMQ';

const HEADER = 96;
const KEY = 32;
const NO_KEY = new Uint8Array(KEY);

/** How many bytes of an account to read; none needs more. */
export const BYTES_READ = 384;

function nameAddress(name: string, parent: string | undefined, nameClass?: string): string {
  const hashed = sha256(`SPL Name Service${name}`);
  const seeds = [nameClass, parent].map((key) => (key === undefined ? NO_KEY : base58.decode(key)));
  return programAddress(NAMES, hashed, ...seeds);
}

/** @param labels without the ending: `['alice']`, or `['pay', 'alice']` for a subdomain */
export function domainAddress(labels: readonly string[]): string {
  const [sub, top] = labels.length === 1 ? [undefined, labels[0]] : labels;
  const parent = nameAddress(String(top), ROOT);
  return sub === undefined ? parent : nameAddress(`\0${sub}`, parent);
}

/** The account with the text of a name, given the name's account. @param parent of a subdomain */
export function reverseAddress(domain: string, parent: string | undefined): string {
  return nameAddress(domain, parent, REVERSE_CLASS);
}

/** The wallet's record of its favourite name. */
export function favouriteAddress(wallet: string): string {
  return programAddress(OFFERS, Buffer.from('favourite_domain'), base58.decode(wallet));
}

export function solRecordV1Address(domain: string): string {
  return nameAddress('\x01SOL', domain);
}

export function solRecordV2Address(domain: string): string {
  return nameAddress('\x02SOL', domain, RECORD_V2_CLASS);
}

export function nftRecordAddress(domain: string): string {
  return programAddress(TOKENIZER, Buffer.from('nft_record'), base58.decode(domain));
}

/** The token that represents a name while it's tokenized. */
export function mintAddress(domain: string): string {
  return programAddress(TOKENIZER, Buffer.from('tokenized_name'), base58.decode(domain));
}

/** A wallet's associated token account. */
export function tokenAddress(wallet: string, mint: string): string {
  const seeds = [wallet, TOKENS, mint].map((key) => base58.decode(key));
  return programAddress(TOKEN_ACCOUNTS, ...seeds);
}

/** The record of a `.sol` name in the Solana Record Service. */
export function recordServiceAddress(label: string): string {
  return programAddress(
    RECORDS,
    Buffer.from('record'),
    base58.decode(SOL_CLASS),
    sha256(`SRS${label}`),
  );
}

/** An account of the name registry. */
export interface Registry {
  readonly parent: string;
  readonly owner: string;
  readonly data: Uint8Array;
}

export function readRegistry(account: SolanaAccount | undefined): Registry | undefined {
  const bytes = bytesOf(account, NAMES, HEADER);
  return (
    bytes && { parent: keyAt(bytes, 0), owner: keyAt(bytes, KEY), data: bytes.subarray(HEADER) }
  );
}

/** The address of the favourite name's account. */
export function readFavourite(account: SolanaAccount | undefined): string | undefined {
  const bytes = bytesOf(account, OFFERS, 1 + KEY);
  return bytes && keyAt(bytes, 1);
}

/** The text that a reverse account holds. */
export function readReverse(account: SolanaAccount | undefined): string | undefined {
  const data = readRegistry(account)?.data;
  if (data === undefined || data.length < 4) return undefined;
  const length = Buffer.from(data).readUInt32LE(0);
  if (length > data.length - 4) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(data.subarray(4, 4 + length));
  } catch {
    return undefined;
  }
}

const ACTIVE_NFT = 2;

export function isTokenized(account: SolanaAccount | undefined): boolean {
  return bytesOf(account, TOKENIZER, 1)?.[0] === ACTIVE_NFT;
}

/** The owner of an account that holds exactly one token of this kind. */
export function readTokenOwner(
  account: SolanaAccount | undefined,
  mint: string,
): string | undefined {
  const bytes = bytesOf(account, TOKENS, KEY * 2 + 8);
  if (bytes === undefined || keyAt(bytes, 0) !== mint) return undefined;
  return Buffer.from(bytes).readBigUInt64LE(KEY * 2) === 1n ? keyAt(bytes, KEY) : undefined;
}

/** The kinds of validation of a record. */
const BY_SOLANA = 1;
const RECORD_HEADER = 8;

/** A version 2 record, signed by the domain's owner. */
export interface SolRecordV2 {
  /** The owner who signed it; if the name has another owner now, the record is void. */
  readonly signedBy: string;
  /** Undefined if the wallet didn't agree. */
  readonly wallet: string | undefined;
}

/** @returns undefined if there's none; `invalid` if it leads nowhere */
export function readSolRecordV2(
  account: SolanaAccount | undefined,
): SolRecordV2 | 'invalid' | undefined {
  const data = readRegistry(account)?.data;
  if (data === undefined) return undefined;
  if (data.length < RECORD_HEADER + KEY * 3) return 'invalid';
  const bytes = Buffer.from(data);
  const isBySolana = bytes.readUInt16LE(0) === BY_SOLANA && bytes.readUInt16LE(2) === BY_SOLANA;
  if (!isBySolana || bytes.readUInt32LE(4) !== KEY) return 'invalid';
  const [signedBy, agreed, content] = [0, 1, 2].map((i) => keyAt(bytes, RECORD_HEADER + i * KEY));
  return { signedBy: String(signedBy), wallet: agreed === content ? content : undefined };
}

/** A version 1 record: a wallet, and the domain owner's signature. */
export function readSolRecordV1(
  account: SolanaAccount | undefined,
): { readonly wallet: Uint8Array; readonly signature: Uint8Array } | undefined {
  const data = readRegistry(account)?.data;
  if (data === undefined || data.length < KEY + 64) return undefined;
  return { wallet: data.subarray(0, KEY), signature: data.subarray(KEY, KEY + 64) };
}

const RECORD = 2;
const OWNED_BY_KEY = 0;

/** The wallet that owns a `.sol` name in the Solana Record Service. @param now seconds since 1970 */
export function readRecordOwner(
  account: SolanaAccount | undefined,
  now: number,
): string | undefined {
  const bytes = bytesOf(account, RECORDS, 75);
  if (bytes === undefined || bytes[0] !== RECORD || keyAt(bytes, 1) !== SOL_CLASS) return undefined;
  const expiry = Buffer.from(bytes).readBigInt64LE(67);
  if (bytes[33] !== OWNED_BY_KEY || (expiry !== 0n && expiry <= BigInt(now))) return undefined;
  return keyAt(bytes, 34);
}

function bytesOf(
  account: SolanaAccount | undefined,
  program: string,
  least: number,
): Uint8Array | undefined {
  return account?.program === program && account.data.length >= least ? account.data : undefined;
}

function keyAt(bytes: Uint8Array, offset: number): string {
  return base58.encode(bytes.subarray(offset, offset + KEY));
}
