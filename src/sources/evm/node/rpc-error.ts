import { fieldOf } from '#base';
import { saysLimited } from '#sources/node/fault';

/** A range that the node claims it would serve; not to be trusted. */
export interface RangeHint {
  readonly from: number;
  readonly to: number;
}

/**
 * What a JSON-RPC error means. Its message only distinguishes rate limits, pruned blocks and reverted calls
 * from the rest; whatever the rest is, we try a narrower range.
 */
export type RpcErrorKind = 'limited' | 'pruned' | 'reverted' | 'refused';

/**
 * What clients say. geth: "missing trie node", "historical state … is not available", "required historical state
 * unavailable"; Nethermind: "No state available for block", or MissingTrieNodeException beside the message; Besu:
 * "World state unavailable"; Erigon: "old data not available due to pruning", "requested block is too old"; Reth:
 * "State at block … is pruned".
 */
const PRUNED =
  /prun(?:ed|ing)|missing ?trie ?node|(?:histor|state).*(?:unavailable|not available|fully indexed)|no state available|too old/i;
const PRUNED_CODE = 4444;
/** Providers name archive nodes where a block is too old, and where they sell wider ranges. */
const ARCHIVE = /archive/i;
const WIDE = /\brange|more than \d|response size|\bresults\b/i;
const REVERTED_CODE = 3;
/**
 * How clients name other ends of a call by its contract: geth "invalid opcode: INVALID", "invalid jump destination",
 * "stack underflow"; OpenEthereum and Nethermind "VM execution error"; Reth and anvil "EVM error: InvalidFEOpcode".
 */
const FAILED =
  /revert|invalid ?(?:fe)?(?:opcode|jump|instruction)|bad (?:instruction|jump)|stack (?:underflow|overflow|limit)|(?:vm|evm) (?:execution )?(?:error|exception)/i;
const LIMITED_CODES = new Set([429, -32029]);

export function rpcErrorKind(error: unknown): RpcErrorKind {
  const code = fieldOf(error, 'code');
  const text = textOf(error);
  if (code === PRUNED_CODE || PRUNED.test(text)) return 'pruned';
  if (ARCHIVE.test(text) && !WIDE.test(text)) return 'pruned';
  if (LIMITED_CODES.has(Number(code)) || saysLimited(text)) return 'limited';
  if (code === REVERTED_CODE || FAILED.test(text)) return 'reverted';
  return 'refused';
}

/**
 * Clients' words for a block or a range that the node doesn't have yet. OpenEthereum and providers in its tradition:
 * "One of the blocks specified in filter … cannot be found"; Avalanche: "cannot query unfinalized data", "after last
 * accepted block"; Lotus: "requested a future epoch"; nodes of Base: "block not yet imported".
 */
const BEYOND_HEAD = [
  /(?:beyond|exceeds?|past|higher than|less than or equal to).*(?:head|height|latest)/i,
  /(?:header|block) not found|unknown block|invalid block range|empty range|could not get header/i,
  /blocks? specified in filter.*cannot be found|unfinalized data|after last accepted block/i,
  /future epoch|block not yet imported/i,
];

/**
 * Whether an error may say that a range goes beyond the blocks that the node has, as execution-apis demands since
 * 2026, and not that it's too wide.
 */
export function isBeyondHead(error: unknown): boolean {
  const text = textOf(error);
  return BEYOND_HEAD.some((words) => words.test(text));
}

/** Too many calls in one batch, which isn't too many requests in some time. */
const LONG_BATCH =
  /too many (?:requests|calls)(?: are| were)? (?:in|per) (?:\w+ ){0,2}batch|batch[\w ]* too (?:many|large|long)/i;

/** Whether an error is about the batch, which each of its calls may say, and not about the call. */
export function isAboutBatch(error: unknown): boolean {
  const text = textOf(error);
  return LONG_BATCH.test(text) || (rpcErrorKind(error) === 'refused' && /batch/i.test(text));
}

/** Whether an error says that a round passed without a block, which other nodes answer with null (Lotus). */
export function isNoBlock(error: unknown): boolean {
  return /null round/i.test(textOf(error));
}

/** What may be shown of an error. Its message isn't: it may quote the key. */
export function shownCode(error: unknown): string {
  const code = fieldOf(error, 'code');
  return typeof code === 'number' ? ` (code ${code})` : '';
}

const HEX_RANGE = /\[?\s*(0x[0-9a-f]{1,13})\s*,\s*(0x[0-9a-f]{1,13})\s*\]?/i;
const PLAIN_RANGE = /range\s+(\d{1,15})\s*-\s*(\d{1,15})/i;

export function hintIn(error: unknown): RangeHint | undefined {
  const text = textOf(error);
  const [, from, to] = HEX_RANGE.exec(text) ?? PLAIN_RANGE.exec(text) ?? [];
  if (from === undefined || to === undefined) return undefined;
  return { from: Number(from), to: Number(to) };
}

function textOf(error: unknown): string {
  const data = fieldOf(error, 'data');
  const words = [fieldOf(error, 'message') ?? '', typeof data === 'string' ? data : ''];
  return words.map((each) => String(each).slice(0, 1_000)).join(' ');
}
