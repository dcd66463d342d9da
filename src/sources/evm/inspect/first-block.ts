import { fieldOf } from '#base';
import { codeIn } from '#sources/evm/contract/proxy';
import type { EvmRpc } from '#sources/evm/node/rpc';
import { quantityIn, quantityOf } from '#sources/evm/words';
import type { NodeCall } from '#sources/node/call';
import { NodeFault } from '#sources/node/fault';

/** How far behind the deployment to look for the first log. */
const NEAR = 1_000;
/** A chain of 2^40 blocks needs no more steps. */
const STEPS_MOST = 40;

/** Where a contract's history begins. */
export interface FirstBlock {
  readonly block: number;
  /** `log`: its first log that was asked for. `code`: its deployment, before which there's none. */
  readonly by: 'log' | 'code';
}

interface FirstQuestion {
  readonly contract: string;
  /** Of the events that are wanted; empty: any log. */
  readonly topics: readonly string[];
  readonly head: number;
}

/**
 * Finds the first block with a log of a contract, by bisection: for its deployment with an archive node, and else
 * for its logs with a node that answers for any range.
 * @returns undefined if the node does neither
 */
export async function firstBlockOf(
  call: NodeCall,
  rpc: EvmRpc,
  question: FirstQuestion,
): Promise<FirstBlock | undefined> {
  const { contract, head } = question;
  const hasCode = async (height: number) => {
    const asked = [{ method: 'eth_getCode', params: [contract, quantityOf(height)] }];
    const [code] = await rpc.ask(call, asked, { isWhole: true });
    return codeIn(call, code) !== '';
  };
  const found = await told(() => firstWhere(hasCode, head));
  // A node that has pruned old states may say that there was no code, instead of an error.
  const hadLogs = found !== undefined && (await hasLogsBefore(call, rpc, question, found));
  const deployed = hadLogs ? undefined : found;
  if (deployed === undefined) {
    const hasLogs = (height: number) => logsIn(call, rpc, question, 0, height).then(isAny);
    const block = await told(() => firstWhere(hasLogs, head));
    return block === undefined ? undefined : { block, by: 'log' };
  }
  const near = await told(() =>
    logsIn(call, rpc, question, deployed, Math.min(head, deployed + NEAR - 1)),
  );
  const [first] = near ?? [];
  return first === undefined ? { block: deployed, by: 'code' } : { block: first, by: 'log' };
}

/**
 * The lowest height of which something is true that stays so.
 * @returns undefined if it isn't even true of the highest
 */
async function firstWhere(
  isTrue: (height: number) => Promise<boolean>,
  highest: number,
): Promise<number | undefined> {
  if (!(await isTrue(highest))) return undefined;
  let [before, from] = [-1, highest];
  for (let step = 0; step < STEPS_MOST && from - before > 1; step++) {
    const middle = Math.floor((before + from) / 2);
    if (await isTrue(middle)) from = middle;
    else before = middle;
  }
  return from;
}

/** Whether a contract logged anything before a block, as far as the node answers for so many of them. */
async function hasLogsBefore(
  call: NodeCall,
  rpc: EvmRpc,
  question: FirstQuestion,
  block: number,
): Promise<boolean> {
  if (block === 0) return false;
  const after = (from: number) =>
    told(() => logsIn(call, rpc, { ...question, topics: [] }, from, block - 1));
  const logs = (await after(0)) ?? (await after(Math.max(0, block - NEAR))) ?? [];
  return logs.length > 0;
}

/** The blocks of logs in a range, in order. */
async function logsIn(
  call: NodeCall,
  rpc: EvmRpc,
  { contract, topics }: FirstQuestion,
  from: number,
  to: number,
): Promise<readonly number[]> {
  const filter = {
    address: contract,
    fromBlock: quantityOf(from),
    toBlock: quantityOf(to),
    ...(topics.length > 0 && { topics: [topics] }),
  };
  const [logs] = await rpc.ask(call, [{ method: 'eth_getLogs', params: [filter] }], {
    isWhole: true,
  });
  if (logs === null) return [];
  if (!Array.isArray(logs)) throw call.fault('broken', 'sent something other than logs');
  const blocks = logs.flatMap((each) => quantityIn(fieldOf(each, 'blockNumber')) ?? []);
  return blocks.sort((one, other) => one - other);
}

function isAny(logs: readonly number[]): boolean {
  return logs.length > 0;
}

/** @returns undefined where the node doesn't answer this; what's wrong with the node itself is thrown */
async function told<T>(work: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof NodeFault)) throw error;
    if (error.kind === 'unreachable' || error.kind === 'limited') throw error;
    return undefined;
  }
}
