import { ethereum } from '#wallet/chains';

/** Hex digits in an ABI word. */
export const WORD = 64;

export const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000';
/** How many addresses to cache with their checksum, about 200 bytes each. */
const KEPT = 50_000;

let canonical = new Map<string, string>();

/** The canonical address. @param digits 40 hex digits, without 0x */
export function addressOfDigits(digits: string): string {
  const known = canonical.get(digits);
  if (known !== undefined) return known;
  if (canonical.size >= KEPT) canonical = new Map();
  const address = ethereum.canonical(`0x${digits}`.toLowerCase());
  canonical.set(digits, address);
  return address;
}

/** The address in a word, as digits. @param word of a log, so in lower case */
export function addressDigits(word: string): string {
  return word.slice(-40);
}

const WORDS = /[0-9a-f]{64}/g;
/** Zeros that an address has before it, and small numbers have more of. */
const BEFORE_ADDRESS = '0'.repeat(WORD - 40);
const BEFORE_NUMBER = '0'.repeat(WORD - 20);

/**
 * The addresses that a log seems to name, whatever it is: words that are as long as one, which large numbers may be.
 * @param parts its topics and data
 */
export function addressWordsIn(parts: readonly string[]): string[] {
  const words = parts.flatMap((each) => each.slice(2).match(WORDS) ?? []);
  return words
    .filter((each) => each.startsWith(BEFORE_ADDRESS) && !each.startsWith(BEFORE_NUMBER))
    .map((each) => addressOfDigits(addressDigits(each)));
}

/** `0x1a` → 26, also with zeros before it; undefined if it's no quantity, or too large for a height or a time. */
export function quantityIn(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^0x0{0,60}[0-9a-fA-F]{1,13}$/.test(value)) return undefined;
  return Number(value);
}

export function quantityOf(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}

/** A log as a node gives it, checked. Source: execution-apis, schemas/receipt.yaml. */
export interface EvmLog {
  /** Lower-case hex, as all of them. */
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly block: number;
  readonly blockHash: string;
  /** Seconds since 1970; undefined where the node doesn't say. */
  readonly time: number | undefined;
  readonly transaction: string;
  readonly transactionIndex: number;
  readonly index: number;
  /** How many logs with the same numbers an input has had before it; undefined for none, as nearly always. */
  readonly doubles?: number;
}

/** A header, as far as it matters. */
export interface EvmHeader {
  readonly height: number;
  readonly hash: string;
  /** The hash of the block before it; undefined if the header doesn't say. */
  readonly parent: string | undefined;
  readonly time: number;
  /** Whether any contract logged something in it; false also if the header doesn't say. */
  readonly hasLogs: boolean;
}

/** What one node says of a range. */
export interface RangeAnswer {
  /** The block that was read last, as the node has it; undefined before the first one. */
  readonly before: EvmHeader | undefined;
  readonly last: EvmHeader;
  /** In order, each once, those alone that were asked for. */
  readonly logs: readonly EvmLog[];
}

/** Hex of one length. Nearly all nodes send it in lower case, and a copy of each text costs more than looking. */
interface HexForm {
  readonly lowerCase: RegExp;
  readonly anyCase: RegExp;
}

const HASH = hexForm('{64}');
const ADDRESS = hexForm('{40}');
const BYTES = hexForm('*');
/** Chains that don't compute blooms fill them with zeros or ones. */
const EMPTY_OR_FULL = /^0x(?:0*|f*)$/i;

/** @returns undefined for what is no log of a block that stands */
export function parseLog(value: unknown): EvmLog | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const log = value as Record<string, unknown>;
  const block = quantityIn(log.blockNumber);
  const index = quantityIn(log.logIndex);
  const transactionIndex = quantityIn(log.transactionIndex);
  if (block === undefined || index === undefined || transactionIndex === undefined)
    return undefined;
  if (log.removed === true || !Array.isArray(log.topics) || log.topics.length > 4) return undefined;
  const topics = log.topics.map((each) => hexIn(each, HASH));
  const [address, data] = [hexIn(log.address, ADDRESS), bytesIn(log.data)];
  const blockHash = hexIn(log.blockHash, HASH);
  const transaction = hexIn(log.transactionHash, HASH);
  if (address === undefined || data === undefined || blockHash === undefined) return undefined;
  if (transaction === undefined || !topics.every((each) => each !== undefined)) return undefined;
  // Zero stands for unknown at some nodes.
  const time = quantityIn(log.blockTimestamp) || undefined;
  return { address, topics, data, block, blockHash, time, transaction, transactionIndex, index };
}

/** @returns undefined for what is no header */
export function parseHeader(value: unknown): EvmHeader | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const header = value as Record<string, unknown>;
  const height = quantityIn(header.number);
  const time = quantityIn(header.timestamp);
  const hash = hexIn(header.hash, HASH);
  if (height === undefined || time === undefined || hash === undefined) return undefined;
  const bloom = bytesIn(header.logsBloom);
  const hasLogs = bloom !== undefined && !EMPTY_OR_FULL.test(bloom);
  return { height, time, hash, parent: hexIn(header.parentHash, HASH), hasLogs };
}

/** What two nodes must agree on, as one text. */
export function logText(log: EvmLog): string {
  const { address, topics, data, block, blockHash, transaction, transactionIndex, index } = log;
  const place = [block, transactionIndex, index];
  return [...place, blockHash, transaction, address, topics.join(), data].join(' ');
}

/**
 * The order of execution. Some chains restart log numbers in each transaction (Cosmos EVM), and some give several logs
 * of a transaction one number: those stay in the order of the response.
 */
export function compareLogs(one: EvmLog, other: EvmLog): number {
  return (
    one.block - other.block ||
    one.transactionIndex - other.transactionIndex ||
    one.index - other.index
  );
}

function hexForm(digits: string): HexForm {
  const form = `^0x[0-9a-f]${digits}$`;
  return { lowerCase: new RegExp(form), anyCase: new RegExp(form, 'i') };
}

/** In lower case; undefined if it has another form. */
function hexIn(value: unknown, { lowerCase, anyCase }: HexForm): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (lowerCase.test(value)) return value;
  return anyCase.test(value) ? value.toLowerCase() : undefined;
}

function bytesIn(value: unknown): string | undefined {
  const hex = hexIn(value, BYTES);
  return hex !== undefined && hex.length % 2 === 0 ? hex : undefined;
}
