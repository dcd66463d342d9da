import {
  fieldOf,
  isInternalError,
  newRpcIds,
  type RpcCall,
  rpcErrorOf,
  rpcIdOf,
  rpcRequest,
} from '#base';
import { NodeFault, saysLimited } from '#sources/node/fault';
import { KeptHistory } from '#sources/node/kept-history';
import type { NodeCall, NodeRequest, SourceNode } from '#sources/node/node';
import { LogRangeWidth } from './width.ts';

/** How many requests to send before trying a longer batch again. */
const TRY_AGAIN_AFTER = 1_000;

/** Limits of the requests for some calls. */
export interface RpcLimits extends Pick<NodeRequest, 'maxBytes' | 'isWhole'> {
  /** Whether the node has answered as much before, so that a server error doesn't mean that it's too much. */
  readonly isProven?: boolean;
  /** Whether a refusal may be of what is asked for, not of the batch, so that the caller asks for less first. */
  readonly isWide?: boolean;
}

/** A node answered with an error that doesn't count against it. */
export class RpcRefusal extends NodeFault {
  readonly hint: RangeHint | undefined;
  /** Whether the node may lack the newest blocks that were asked for. */
  readonly isBeyondHead: boolean;

  constructor({ message }: NodeFault, error: unknown) {
    super('refused', message, { isServerError: isInternalError(error) });
    this.hint = hintIn(error);
    this.isBeyondHead = isBeyondHead(error);
  }
}

/** A node no longer has what was asked for, which may be blocks or what contracts stored then. */
export class RpcPruned extends NodeFault {
  constructor({ message }: NodeFault) {
    super('unfit', message);
  }
}

/** The contract itself reverted the call. */
export class CallReverted extends Error {
  override readonly name = 'CallReverted';
}

/** What we know about a node of the chain. */
interface EvmNode {
  readonly width: LogRangeWidth;
  isRightChain: boolean;
  /** The longest batch it takes, and how many such batches it has answered. */
  batch: number;
  answered: number;
  /** The newest final block it reported. */
  height: number;
  /** How far back it has logs. */
  readonly kept: KeptHistory;
}

/** JSON-RPC calls to the nodes of one chain, batched as each node allows. */
export class EvmRpc {
  readonly #chainId: bigint;
  readonly #nodes = new WeakMap<SourceNode, EvmNode>();

  constructor(chainId: bigint) {
    this.#chainId = chainId;
  }

  of(node: SourceNode): EvmNode {
    const known = this.#nodes.get(node) ?? {
      width: new LogRangeWidth(),
      isRightChain: false,
      ...{ batch: Number.POSITIVE_INFINITY, answered: 0 },
      ...{ height: -1, kept: new KeptHistory() },
    };
    this.#nodes.set(node, known);
    return known;
  }

  /**
   * Sends several calls in one batch, or in as many as the node needs, in order. Checks first that the node
   * serves the right chain.
   * @returns results in the order of the calls
   * @throws NodeFault, RpcRefusal, CallReverted
   */
  async ask(call: NodeCall, calls: readonly RpcCall[], limits: RpcLimits): Promise<unknown[]> {
    const node = this.of(call.node);
    if (!node.isRightChain) await this.#requireChain(call, node);
    return await this.#askSome(call, node, calls, limits);
  }

  async #askSome(
    call: NodeCall,
    node: EvmNode,
    calls: readonly RpcCall[],
    limits: RpcLimits,
  ): Promise<unknown[]> {
    const results: unknown[] = [];
    const longest = node.batch;
    for (let at = 0; at < calls.length; ) {
      const part = calls.slice(at, at + node.batch);
      const answers = await askBatch(call, part, limits).catch((error: unknown) => {
        if (part.length > 1 && isPerhapsTooLong(error, limits)) return undefined;
        // A call alone doesn't fare better, so its batch wasn't too long.
        if (part.length === 1) node.batch = longest;
        throw error;
      });
      if (answers === undefined) {
        // It takes no batches, or none this long. That ranges were refused before says nothing then.
        node.batch = Math.floor(part.length / 2);
        node.answered = 0;
        node.width.failed();
        continue;
      }
      node.answered += 1;
      // The refusal may have been temporary.
      if (node.answered % TRY_AGAIN_AFTER === 0) node.batch *= 2;
      results.push(...answers);
      at += part.length;
    }
    return results;
  }

  async #requireChain(call: NodeCall, node: EvmNode): Promise<void> {
    const asked = [{ method: 'eth_chainId', params: [] }];
    const [chainId] = await this.#askSome(call, node, asked, { isWhole: true });
    if (typeof chainId !== 'string' || !/^0x0{0,60}[0-9a-f]{1,16}$/i.test(chainId))
      throw nonsense(call);
    if (BigInt(chainId) !== this.#chainId) {
      throw call.fault('unfit', `is of chain ${BigInt(chainId)}, not of ${this.#chainId}`);
    }
    node.isRightChain = true;
  }
}

/** @returns undefined if the batch itself was refused, not a call in it */
async function askBatch(
  call: NodeCall,
  calls: readonly RpcCall[],
  limits: RpcLimits,
): Promise<unknown[] | undefined> {
  const isSingle = calls.length === 1;
  const firstId = newRpcIds(calls.length);
  const bodies = calls.map((each, place) => rpcRequest(each, firstId + place));
  // A node that takes no batches doesn't take a batch of one call either.
  const body = isSingle ? bodies[0] : bodies;
  const { status, json } = await call.ask({
    ...{
      ...{ maxBytes: limits.maxBytes, isWhole: limits.isWhole, body },
      isHeavy: limits.isWhole !== true && limits.isProven !== true,
      isAnswer: (each) => errorIn(each) !== undefined,
      // Plans without old blocks are told of so.
      isExplained: (each) => ['pruned', 'limited'].includes(kindIn(each, isSingle) ?? ''),
      isOurs: (each) => isTo(each, firstId, calls.length),
    },
    isLimited: (each) => kindIn(each, isSingle) === 'limited',
    isFailure: (each) => isInternalError(errorIn(each)),
  });
  const isList = Array.isArray(json);
  const error = errorIn(json);
  if (!isSingle && !isList && (error !== undefined || (status >= 400 && status < 500))) {
    if (error === undefined || kindIn(json, isSingle) === 'refused') return undefined;
  }
  // Some nodes say it of each call, or once in a list.
  if (!isSingle && isList && error !== undefined && isAboutBatch(error)) return undefined;
  if (error !== undefined) throw faultOf(call, error, calls);
  if (status !== 200) throw call.fault('refused', `answered with ${status}`);
  if (isSingle && !isList) return inOrder(call, [json], firstId, 1);
  if (!isList) throw nonsense(call);
  return inOrder(call, json, firstId, calls.length);
}

function errorIn(json: unknown): unknown {
  const all = Array.isArray(json) ? json : [json];
  return all.map(rpcErrorOf).find((each) => each !== undefined && !isNoBlock(each));
}

function kindIn(json: unknown, isSingle: boolean): RpcErrorKind | undefined {
  const error = errorIn(json);
  if (error === undefined) return undefined;
  return !isSingle && isAboutBatch(error) ? 'refused' : rpcErrorKind(error);
}

/** Whether a node may have refused a batch for its length. */
function isPerhapsTooLong(error: unknown, { isWide = false }: RpcLimits): boolean {
  if (!(error instanceof NodeFault)) return false;
  return error.isRejected || (error instanceof RpcRefusal && !isWide);
}

function faultOf(call: NodeCall, error: unknown, calls: readonly RpcCall[]): Error {
  const kind = rpcErrorKind(error);
  // Only a call runs a contract.
  const mayRevert = calls.some(({ method }) => method === 'eth_call');
  switch (kind === 'reverted' && !mayRevert ? 'refused' : kind) {
    case 'pruned':
      return new RpcPruned(call.fault('unfit', 'has pruned blocks this old'));
    case 'reverted':
      return new CallReverted();
    default: {
      const fault = call.fault('refused', `refused the request${shownCode(error)}`);
      return new RpcRefusal(fault, error);
    }
  }
}

/** A malformed response may be anything, even a proxy's error page. */
function nonsense(call: NodeCall): NodeFault {
  return call.fault('broken', 'sent an unexpected response');
}

/** Whether a response names no other calls than those of a request. */
function isTo(json: unknown, firstId: number, count: number): boolean {
  const all = Array.isArray(json) ? json : [json];
  return all.every((each) => {
    const id = rpcIdOf(each) ?? undefined;
    return id === undefined || (typeof id === 'number' && id >= firstId && id < firstId + count);
  });
}

function resultOf(answer: unknown): unknown {
  return isNoBlock(fieldOf(answer, 'error')) ? null : fieldOf(answer, 'result');
}

function inOrder(
  call: NodeCall,
  answers: readonly unknown[],
  firstId: number,
  count: number,
): unknown[] {
  const results = new Map(answers.map((each) => [rpcIdOf(each), resultOf(each)]));
  if (results.size !== count || answers.length !== count) throw nonsense(call);
  return Array.from({ length: count }, (_, place) => {
    const result = results.get(firstId + place);
    if (result === undefined) throw nonsense(call);
    return result;
  });
}

/** A range that the node claims it would serve; not to be trusted. */
interface RangeHint {
  readonly from: number;
  readonly to: number;
}

/**
 * What a JSON-RPC error means. Its message only distinguishes rate limits, pruned blocks and reverted calls
 * from the rest; whatever the rest is, we try a narrower range.
 */
type RpcErrorKind = 'limited' | 'pruned' | 'reverted' | 'refused';

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

function rpcErrorKind(error: unknown): RpcErrorKind {
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
function isBeyondHead(error: unknown): boolean {
  const text = textOf(error);
  return BEYOND_HEAD.some((words) => words.test(text));
}

/** Too many calls in one batch, which isn't too many requests in some time. */
const LONG_BATCH =
  /too many (?:requests|calls)(?: are| were)? (?:in|per) (?:\w+ ){0,2}batch|batch[\w ]* too (?:many|large|long)/i;

/** Whether an error is about the batch, which each of its calls may say, and not about the call. */
function isAboutBatch(error: unknown): boolean {
  const text = textOf(error);
  return LONG_BATCH.test(text) || (rpcErrorKind(error) === 'refused' && /batch/i.test(text));
}

/** Whether an error says that a round passed without a block, which other nodes answer with null (Lotus). */
function isNoBlock(error: unknown): boolean {
  return /null round/i.test(textOf(error));
}

/** What may be shown of an error. Its message isn't: it may quote the key. */
function shownCode(error: unknown): string {
  const code = fieldOf(error, 'code');
  return typeof code === 'number' ? ` (code ${code})` : '';
}

const HEX_RANGE = /\[?\s*(0x[0-9a-f]{1,13})\s*,\s*(0x[0-9a-f]{1,13})\s*\]?/i;
const PLAIN_RANGE = /range\s+(\d{1,15})\s*-\s*(\d{1,15})/i;

function hintIn(error: unknown): RangeHint | undefined {
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
