import type { NodeCall } from '#sources/node/call';
import type { NodeFault, NodeFaultKind } from '#sources/node/fault';
import { type EvmHeader, parseHeader, type RangeAnswer } from './log.ts';
import type { EvmRpc, RpcCall } from './rpc.ts';
import { quantityOf } from './words.ts';

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

/** @throws NodeFault */
export async function headerOf(call: NodeCall, rpc: EvmRpc, height: number): Promise<EvmHeader> {
  const [result] = await rpc.ask(call, [headerCall(height)], { isWhole: true });
  // One that has told of a higher one has had it.
  const kind = rpc.of(call.node).height >= height ? 'unfit' : 'behind';
  return headerAt(call, result, height, kind);
}

/** The newest block that is final. @param depth blocks below the newest; undefined for the tag @throws NodeFault */
export async function finalHeader(
  call: NodeCall,
  rpc: EvmRpc,
  depth: number | undefined,
): Promise<EvmHeader | undefined> {
  const tag = depth === undefined ? 'finalized' : 'latest';
  const asked = [{ method: 'eth_getBlockByNumber', params: [tag, false] }];
  const [result] = await rpc.ask(call, asked, { isWhole: true });
  if (result === null) throw call.fault('behind', `knows no ${tag} block yet`);
  const newest = parseHeader(result);
  if (newest === undefined)
    throw call.fault('broken', `sent something other than its ${tag} block`);
  const height = newest.height - (depth ?? 0);
  rpc.of(call.node).height = height;
  if (height < 0) return undefined;
  return depth === undefined ? newest : await headerOf(call, rpc, height);
}

/** A block with logs, by its hash. */
type BlockHashes = ReadonlyMap<number, string>;

/**
 * The times of blocks with logs, in seconds since 1970, as far as the logs say what can be.
 * @returns the hashes of the other blocks too
 */
export function loggedTimes({ before, last, logs }: RangeAnswer): {
  readonly times: Map<number, number>;
  readonly unknown: BlockHashes;
} {
  const times = new Map<number, number>([[last.height, last.time]]);
  const unknown = new Map<number, string>();
  for (const { block, blockHash, time } of logs) {
    if (times.has(block)) continue;
    const isTime = time !== undefined && time >= (before?.time ?? 0) && time <= last.time;
    if (isTime) times.set(block, time);
    else unknown.set(block, blockHash);
  }
  return { times, unknown };
}

/** The times of blocks by their headers. @throws NodeFault */
export async function headerTimes(
  call: NodeCall,
  rpc: EvmRpc,
  blocks: BlockHashes,
): Promise<readonly (readonly [block: number, time: number])[]> {
  const times: [block: number, time: number][] = [];
  const asked = [...blocks];
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
      times.push([block, header.time]);
    }
  }
  return times;
}

export function contradiction(call: NodeCall): NodeFault {
  return call.fault('broken', 'contradicts itself about a block');
}
