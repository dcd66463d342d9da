import type { EvmHeader, EvmLog } from '#sources/evm/log';
import { quantityOf } from '#sources/evm/words';
import type { NodeCall } from '#sources/node/call';
import { NodeFault } from '#sources/node/fault';
import { headerAt, headerCall } from './headers.ts';
import { type EvmRpc, RpcRefusal } from './rpc.ts';

/** Headers to look at in a range. */
const SAMPLED = 100;

/**
 * Makes sure that a node has the logs of a range: one that has pruned them may answer with an empty list
 * instead of an error, and so may every other node.
 * @param headers the range's first and last
 * @param logs what the node has of the contracts that we read
 * @throws NodeFault `unfit` if it lacks them
 */
export async function requireKeptLogs(
  call: NodeCall,
  rpc: EvmRpc,
  [first, last]: readonly [first: EvmHeader, last: EvmHeader],
  logs: readonly EvmLog[],
): Promise<void> {
  const { kept } = rpc.of(call.node);
  const logged = await firstLogged(call, rpc, first, last);
  if (logged === undefined) {
    kept.undecided(first.height);
    return;
  }
  const { height } = logged;
  if (!logs.some(({ block }) => block === height) && (await isEmpty(call, rpc, height))) {
    throw call.fault(
      'unfit',
      `sends no logs of block ${height}, although its header says that there are some. It has probably pruned them`,
    );
  }
  kept.found(first.height);
}

/** A block with logs, as early in the range as its headers show; undefined if they show none. */
async function firstLogged(
  call: NodeCall,
  rpc: EvmRpc,
  first: EvmHeader,
  last: EvmHeader,
): Promise<EvmHeader | undefined> {
  if (first.hasLogs) return first;
  const step = Math.ceil((last.height - first.height) / SAMPLED);
  const heights: number[] = [];
  for (let at = first.height + step; at < last.height; at += step) heights.push(at);
  const results = await rpc.ask(call, heights.map(headerCall), {});
  // A round may have passed without a block.
  const sample = heights.flatMap((height, place) =>
    results[place] === null ? [] : headerAt(call, results[place], height, 'unfit'),
  );
  return [...sample, last].find(({ hasLogs }) => hasLogs);
}

/** Whether a node returns no logs at all for a block, from any contract. */
async function isEmpty(call: NodeCall, rpc: EvmRpc, height: number): Promise<boolean> {
  const [fromBlock, toBlock] = [quantityOf(height), quantityOf(height)];
  const asked = [{ method: 'eth_getLogs', params: [{ fromBlock, toBlock }] }];
  try {
    const [logs] = await rpc.ask(call, asked, {});
    return logs === null || (Array.isArray(logs) && logs.length === 0);
  } catch (error) {
    // Some providers only serve the logs of contracts that are named, or few at once.
    const isRefused = error instanceof NodeFault && error.kind === 'too-much';
    if (isRefused || error instanceof RpcRefusal) return false;
    throw error;
  }
}
