import type { SourcePosition } from '#core/scoring/reading/store';
import type { CompiledInputs } from './compile.ts';
import { RpcFault } from './faults.ts';
import { compareLogs, type EvmHeader, type EvmLog, logText, parseHeader, parseLog } from './log.ts';
import type { EvmNode, RpcCall } from './node.ts';
import { quantityOf } from './words.ts';

/** Headers in one request. */
const HEADERS_AT_ONCE = 100;

/** What one node says of the blocks behind a position. */
export interface RangeAnswer {
  /** The block that was read last, as the node has it; undefined before the first one. */
  readonly before: EvmHeader | undefined;
  readonly last: EvmHeader;
  /** In order, each once, those alone that were asked for. */
  readonly logs: readonly EvmLog[];
}

/**
 * Reads as many blocks of a node as it answers for at once.
 * @param from the height that was read last
 * @throws RpcFault
 */
export async function readLogRange(
  node: EvmNode,
  inputs: CompiledInputs,
  { from, upTo }: { readonly from: number; readonly upTo: number },
  signal: AbortSignal,
): Promise<RangeAnswer> {
  for (;;) {
    const to = Math.min(upTo, from + node.width.blocks);
    const blocks = to - from;
    try {
      const answer = await askRange(node, inputs, from, to, signal);
      node.width.answered(blocks, answer.logs.length);
      return answer;
    } catch (error) {
      if (!(error instanceof RpcFault)) throw error;
      if (error.kind !== 'refused' || blocks === 1) throw error;
      const { hint } = error;
      const hinted = hint?.from === from + 1 ? hint.to - from : undefined;
      node.width.refused(blocks, hinted);
    }
  }
}

async function askRange(
  node: EvmNode,
  inputs: CompiledInputs,
  from: number,
  to: number,
  signal: AbortSignal,
): Promise<RangeAnswer> {
  const [fromBlock, toBlock] = [quantityOf(from + 1), quantityOf(to)];
  const calls: RpcCall[] = inputs.filters.map((filter) => ({
    method: 'eth_getLogs',
    params: [{ ...filter, fromBlock, toBlock }],
  }));
  // Of the same node, at the same time: one that doesn't have the last block answers with nothing.
  calls.push(headerCall(to));
  if (from >= 0) calls.push(headerCall(from));
  const results = await node.ask(calls, signal);
  const count = inputs.filters.length;
  const gone = `doesn't have block ${from} any more`;
  const before = from < 0 ? undefined : headerAt(results[count + 1], from, 'pruned', gone);
  const last = headerAt(results[count], to, 'behind', `doesn't have block ${to} yet`);
  const logs = logsOf(results.slice(0, count), inputs, from, to);
  if (logs.some(({ block, blockHash }) => block === to && blockHash !== last.hash)) {
    throw contradiction();
  }
  return { before, last, logs };
}

function logsOf(
  results: readonly unknown[],
  inputs: CompiledInputs,
  from: number,
  to: number,
): EvmLog[] {
  const logs: EvmLog[] = [];
  for (const result of results) {
    if (!Array.isArray(result)) throw new RpcFault('failing', 'sent something else than logs');
    for (const each of result) {
      const log = parseLog(each);
      if (log === undefined || log.block <= from || log.block > to) {
        throw new RpcFault('failing', 'sent a log that was not asked for, or is none');
      }
      if (inputs.isWanted(log)) logs.push(log);
    }
  }
  logs.sort(compareLogs);
  return logs.filter((log, place) => {
    const previous = logs[place - 1];
    if (previous === undefined || compareLogs(previous, log) !== 0)
      return requireOneHash(previous, log);
    if (logText(previous) !== logText(log)) throw contradiction();
    return false;
  });
}

/** @returns true. @throws RpcFault for two hashes of one block */
function requireOneHash(previous: EvmLog | undefined, log: EvmLog): boolean {
  if (previous?.block === log.block && previous.blockHash !== log.blockHash) throw contradiction();
  return true;
}

/**
 * The times of blocks with logs, in seconds since 1970: what the logs say where it can be, else the
 * headers'.
 * @throws RpcFault
 */
export async function blockTimes(
  node: EvmNode,
  { logs, last }: RangeAnswer,
  from: SourcePosition,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, number>> {
  const times = new Map<number, number>([[last.height, last.time]]);
  const unknown = new Map<number, string>();
  for (const { block, blockHash, time } of logs) {
    if (times.has(block)) continue;
    if (time !== undefined && time >= from.time && time <= last.time) times.set(block, time);
    else unknown.set(block, blockHash);
  }
  const asked = [...unknown];
  for (let start = 0; start < asked.length; start += HEADERS_AT_ONCE) {
    const part = asked.slice(start, start + HEADERS_AT_ONCE);
    const results = await node.ask(
      part.map(([block]) => headerCall(block)),
      signal,
    );
    for (const [place, [block, hash]] of part.entries()) {
      const header = headerAt(results[place], block, 'pruned', `doesn't have block ${block}`);
      if (header.hash !== hash) throw contradiction();
      times.set(block, header.time);
    }
  }
  return times;
}

/** @throws RpcFault */
export async function headerOf(
  node: EvmNode,
  height: number,
  signal: AbortSignal,
): Promise<EvmHeader> {
  const [result] = await node.ask([headerCall(height)], signal);
  const kind = node.hasSeen(height) ? 'pruned' : 'behind';
  return headerAt(result, height, kind, `doesn't have block ${height}`);
}

function headerCall(height: number): RpcCall {
  return { method: 'eth_getBlockByNumber', params: [quantityOf(height), false] };
}

function headerAt(
  result: unknown,
  height: number,
  kind: 'behind' | 'pruned',
  missing: string,
): EvmHeader {
  if (result === null) throw new RpcFault(kind, missing);
  const header = parseHeader(result);
  if (header?.height !== height)
    throw new RpcFault('failing', 'sent another block than was asked for');
  return header;
}

function contradiction(): RpcFault {
  return new RpcFault('failing', 'contradicts itself about a block');
}
