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
}

/** A header, as far as it matters. */
export interface EvmHeader {
  readonly height: number;
  readonly hash: string;
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

const HASH = /^0x[0-9a-f]{64}$/i;
const ADDRESS = /^0x[0-9a-f]{40}$/i;
const BYTES = /^0x(?:[0-9a-f]{2})*$/i;
/** Chains that don't compute blooms fill them with zeros or ones. */
const EMPTY_OR_FULL = /^0x(?:0*|f*)$/i;

/** @returns undefined for what is no log of a block that stands */
export function parseLog(value: unknown): EvmLog | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const log = value as Record<string, unknown>;
  const block = quantityIn(log.blockNumber);
  const index = quantityIn(log.logIndex);
  const transactionIndex = quantityIn(log.transactionIndex);
  const { address, topics, data, blockHash, transactionHash } = log;
  if (block === undefined || index === undefined || transactionIndex === undefined)
    return undefined;
  if (log.removed === true || !isText(address, ADDRESS) || !isText(data, BYTES)) return undefined;
  if (!isText(blockHash, HASH) || !isText(transactionHash, HASH)) return undefined;
  if (!Array.isArray(topics) || topics.length > 4) return undefined;
  if (!topics.every((each) => isText(each, HASH))) return undefined;
  return {
    address: lowerCase(address),
    topics: topics.map(lowerCase),
    data: lowerCase(data),
    ...{ block, index, transactionIndex },
    blockHash: lowerCase(blockHash),
    // Zero stands for unknown at some nodes.
    time: quantityIn(log.blockTimestamp) || undefined,
    transaction: lowerCase(transactionHash),
  };
}

/** @returns undefined for what is no header */
export function parseHeader(value: unknown): EvmHeader | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const header = value as Record<string, unknown>;
  const height = quantityIn(header.number);
  const time = quantityIn(header.timestamp);
  if (height === undefined || time === undefined || !isText(header.hash, HASH)) return undefined;
  const { hash, logsBloom: bloom } = header;
  const hasLogs = isText(bloom, BYTES) && !EMPTY_OR_FULL.test(bloom);
  return { height, time, hash: hash.toLowerCase(), hasLogs };
}

/** What two nodes must agree on, as one text. */
export function logText(log: EvmLog): string {
  const { address, topics, data, block, blockHash, transaction, index } = log;
  return [block, index, blockHash, transaction, address, topics.join(), data].join(' ');
}

export function compareLogs(one: EvmLog, other: EvmLog): number {
  return one.block - other.block || one.index - other.index;
}

/** Nearly all nodes send it so, and a copy of each text costs more than looking. */
function lowerCase(hex: string): string {
  return /[A-F]/.test(hex) ? hex.toLowerCase() : hex;
}

function isText(value: unknown, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value);
}
