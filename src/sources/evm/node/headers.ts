import type { RpcCall } from '#base';
import { type EvmHeader, parseHeader, quantityOf, type RangeAnswer } from '#sources/evm/log';
import type { NodeFault, NodeFaultKind } from '#sources/node/fault';
import type { NodeCall } from '#sources/node/node';
import { type EvmRpc, RpcRefusal } from './rpc.ts';

/** Headers per request. */
const AT_ONCE = 100;

export function headerCall(height: number): RpcCall {
  return { method: 'eth_getBlockByNumber', params: [quantityOf(height), false] };
}

/** @throws NodeFault of this kind if the node says it has no such block */
export function headerAt(
  call: NodeCall,
  result: unknown,
  height: number,
  kind: NodeFaultKind,
): EvmHeader {
  if (result === null) throw call.fault(kind, `doesn't have block ${height}`);
  const header = parseHeader(result);
  if (header?.height !== height)
    throw call.fault('broken', 'sent another block than the requested one');
  return header;
}

/** Rounds in a row without a block. Filecoin had at most a handful. */
const ROUNDS_MOST = 32;

/**
 * The header at a height, or what stands there where the chain has no block: on some, a round may pass without one
 * (Filecoin). It's taken for such a round only if the block above it names the one below it as its parent;
 * otherwise the node lacks the block.
 * @returns for such a round, the block below with this height
 * @throws NodeFault of this kind if the node lacks the block
 */
export async function headerOrRound(
  call: NodeCall,
  rpc: EvmRpc,
  result: unknown,
  { height, kind }: { readonly height: number; readonly kind: NodeFaultKind },
): Promise<EvmHeader> {
  const isBelowTop = height > 0 && rpc.of(call.node).height > height;
  if (result !== null || !isBelowTop) return headerAt(call, result, height, kind);
  const below = await nearest(call, rpc, height, -1);
  const above = below === undefined ? undefined : await nearest(call, rpc, height, 1);
  if (below === undefined || above?.parent !== below.hash) {
    throw call.fault(kind, `doesn't have block ${height}`);
  }
  return { ...below, height, parent: below.hash, hasLogs: false };
}

/** The next block that there is, up or down. */
async function nearest(
  call: NodeCall,
  rpc: EvmRpc,
  height: number,
  step: 1 | -1,
): Promise<EvmHeader | undefined> {
  const top = rpc.of(call.node).height;
  for (let far = 1; far <= ROUNDS_MOST; far++) {
    const at = height + step * far;
    if (at < 0 || at > top) return undefined;
    const [result] = await rpc.ask(call, [headerCall(at)], { isWhole: true });
    if (result !== null) return headerAt(call, result, at, 'unfit');
  }
  return undefined;
}

/** @throws NodeFault */
export async function headerOf(call: NodeCall, rpc: EvmRpc, height: number): Promise<EvmHeader> {
  const [result] = await rpc.ask(call, [headerCall(height)], { isWhole: true });
  // One that has told of a higher one has had it.
  const kind = rpc.of(call.node).height >= height ? 'unfit' : 'behind';
  return await headerOrRound(call, rpc, result, { height, kind });
}

/** What to do where a chain, or its node, calls no block final. */
const USE_DEPTH = ': if it never does, give the source "ingest: depth N"';

/** @throws NodeFault if a node doesn't tell its newest block either, so that the tag isn't what it refuses */
async function requireNewest(call: NodeCall, rpc: EvmRpc): Promise<void> {
  const asked = [{ method: 'eth_getBlockByNumber', params: ['latest', false] }];
  const [newest] = await rpc.ask(call, asked, { isWhole: true });
  if (parseHeader(newest) === undefined) {
    throw call.fault('broken', 'sent something other than its latest block');
  }
}

/** The newest block that is final. @param depth blocks below the newest; undefined for the tag @throws NodeFault */
export async function finalHeader(
  call: NodeCall,
  rpc: EvmRpc,
  depth: number | undefined,
): Promise<EvmHeader | undefined> {
  const tag = depth === undefined ? 'finalized' : 'latest';
  const asked = [{ method: 'eth_getBlockByNumber', params: [tag, false] }];
  const [result] = await rpc.ask(call, asked, { isWhole: true }).catch(async (error: unknown) => {
    if (!(error instanceof RpcRefusal) || depth !== undefined) throw error;
    await requireNewest(call, rpc);
    throw call.fault('unfit', `doesn't know which blocks are final${USE_DEPTH}`);
  });
  if (result === null) {
    const hint = depth === undefined ? USE_DEPTH : '';
    throw call.fault('behind', `knows no ${tag} block yet${hint}`);
  }
  const newest = parseHeader(result);
  if (newest === undefined)
    throw call.fault('broken', `sent something other than its ${tag} block`);
  const height = newest.height - (depth ?? 0);
  rpc.of(call.node).height = height;
  if (height < 0) return undefined;
  return depth === undefined ? newest : await headerOf(call, rpc, height);
}

/** The times of blocks, in seconds since 1970. */
export type BlockTimes = ReadonlyMap<number, number>;

/**
 * The times of the blocks with logs, according to the logs.
 * @returns undefined if a log has no time, or if the times can't be true
 */
export function loggedTimes(answer: RangeAnswer): BlockTimes | undefined {
  const { last, logs } = answer;
  const times = new Map<number, number>();
  for (const { block, time } of logs) {
    if (block === last.height || times.has(block)) continue;
    if (time === undefined) return undefined;
    times.set(block, time);
  }
  times.set(last.height, last.time);
  return isInOrder(answer, times) ? times : undefined;
}

/** The times of the blocks with logs, according to their headers. @throws NodeFault */
export async function headerTimes(
  call: NodeCall,
  rpc: EvmRpc,
  answer: RangeAnswer,
): Promise<BlockTimes> {
  const { last, logs } = answer;
  const times = new Map<number, number>();
  const asked = [...new Map(logs.map(({ block, blockHash }) => [block, blockHash]))].filter(
    ([block]) => block !== last.height,
  );
  for (let start = 0; start < asked.length; start += AT_ONCE) {
    const part = asked.slice(start, start + AT_ONCE);
    const results = await rpc.ask(
      call,
      part.map(([block]) => headerCall(block)),
      // A narrower range would have fewer.
      { isWhole: asked.length === 1 },
    );
    for (const [place, [block, hash]] of part.entries()) {
      const header = headerAt(call, results[place], block, 'unfit');
      if (header.hash !== hash) throw contradiction(call);
      times.set(block, header.time);
    }
  }
  times.set(last.height, last.time);
  if (!isInOrder(answer, times)) {
    throw call.fault('broken', 'sent blocks that are older than those before them');
  }
  return times;
}

/**
 * How much older than an earlier block one may be, in seconds: where several sequencers take turns, their clocks
 * differ.
 */
const CLOCKS_S = 60;

/** Whether no block is much older than one before it. @param times in the order of the blocks */
function isInOrder({ before }: RangeAnswer, times: BlockTimes): boolean {
  let newest = before?.time ?? 0;
  for (const time of times.values()) {
    if (time < newest - CLOCKS_S) return false;
    newest = Math.max(newest, time);
  }
  return true;
}

export function contradiction(call: NodeCall): NodeFault {
  return call.fault('inconsistent', 'contradicts itself about a block');
}
