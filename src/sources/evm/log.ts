import { quantityIn } from './words.ts';

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
