import type { NodeCall } from '#sources/node/call';
import { NodeFault } from '#sources/node/fault';
import type { EvmHeader, EvmLog } from './log.ts';
import { type EvmRpc, RpcRefusal } from './rpc.ts';
import { quantityOf } from './words.ts';

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
  headers: readonly [first: EvmHeader, last: EvmHeader],
  logs: readonly EvmLog[],
): Promise<void> {
  const logged = headers.find(({ hasLogs }) => hasLogs);
  if (logged === undefined) return;
  const { height } = logged;
  if (!logs.some(({ block }) => block === height) && (await isEmpty(call, rpc, height))) {
    throw call.fault(
      'unfit',
      `sends no logs of block ${height}, although its header says that there are some. It has probably pruned them`,
    );
  }
  rpc.of(call.node).kept.found(headers[0].height);
}

/** Whether a node returns no logs at all for a block, from any contract. */
async function isEmpty(call: NodeCall, rpc: EvmRpc, height: number): Promise<boolean> {
  const [fromBlock, toBlock] = [quantityOf(height), quantityOf(height)];
  const asked = [{ method: 'eth_getLogs', params: [{ fromBlock, toBlock }] }];
  try {
    const [logs] = await rpc.ask(call, asked, {});
    return Array.isArray(logs) && logs.length === 0;
  } catch (error) {
    // Some providers only serve the logs of contracts that are named, or few at once.
    const isRefused = error instanceof NodeFault && error.kind === 'too-much';
    if (isRefused || error instanceof RpcRefusal) return false;
    throw error;
  }
}
