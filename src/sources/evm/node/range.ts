import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RpcCall } from '#base';
import type { CompiledInputs } from '#sources/evm/compile';
import {
  compareLogs,
  type EvmHeader,
  type EvmLog,
  logText,
  parseLog,
  quantityOf,
  type RangeAnswer,
} from '#sources/evm/log';
import { NodeFault, unableForOne } from '#sources/node/fault';
import type { NodeCall } from '#sources/node/node';
import { contradiction, headerAt, headerCall, headerOf, headerOrRound } from './headers.ts';
import { type EvmRpc, RpcRefusal } from './rpc.ts';

/** The maximum size of a response, and of one that can't get smaller because it covers a single block. */
const BODY_MOST = 16 * 1024 * 1024;
const BLOCK_MOST = 64 * 1024 * 1024;
/** The maximum number of logs in a range; they're held in memory until they're written. */
const LOGS_MOST = 25_000;

/** The blocks after `from`, up to and including `to`. */
export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

/** What to ask a node for. */
export interface RangeQuestion {
  readonly rpc: EvmRpc;
  readonly inputs: Pick<CompiledInputs, 'filters' | 'isWanted'>;
  /** Maximum size of a response; for tests. */
  readonly maxBytes?: number | undefined;
}

/**
 * Reads a range from a node, in as many parts as needed.
 * @throws NodeFault; of kind `too-much` if the range has too many logs
 */
export async function readLogs(
  call: NodeCall,
  question: RangeQuestion,
  { from, to }: BlockRange,
): Promise<RangeAnswer> {
  const { width } = question.rpc.of(call.node);
  const logs: EvmLog[] = [];
  let before: EvmHeader | undefined;
  let last: EvmHeader | undefined;
  let isSure = false;
  for (let at = from; at < to; ) {
    const blocks = Math.min(to - at, width.blocks);
    let part: RangeAnswer;
    try {
      part = await askRange(call, question, { from: at, to: at + blocks });
    } catch (error) {
      // A server may fail for a moment, so the same range is tried once more.
      const isDoubtful: boolean = error instanceof NodeFault && error.isServerError && !isSure;
      isSure = isDoubtful;
      if (!isDoubtful) {
        const to = at + blocks;
        // A node that hangs would be asked for less and less, each time until its time is up.
        if (isTooMuch(error)) await headerOf(call, question.rpc, to);
        // One that lacks the last block would be taken for one with a limit.
        else if (error instanceof RpcRefusal && error.isBeyondHead) {
          await requireBlock(call, question.rpc, to);
        }
        narrow(call, question.rpc, { from: at, to }, error);
      }
      continue;
    }
    isSure = false;
    width.answered(blocks, part.logs.length);
    if (last === undefined) before = part.before;
    else if (part.before?.hash !== last.hash) throw contradiction(call);
    last = part.last;
    for (const log of part.logs) logs.push(log);
    at += blocks;
    if (at < to && logs.length > LOGS_MOST) {
      throw call.fault('too-much', `has more than ${LOGS_MOST} logs in ${to - from} blocks`);
    }
  }
  if (last === undefined) throw new Error(`there are no blocks behind ${from} up to ${to}`);
  return { before, last, logs };
}

/** @throws NodeFault `behind` if the node doesn't have it */
async function requireBlock(call: NodeCall, rpc: EvmRpc, height: number): Promise<void> {
  const [result] = await rpc
    .ask(call, [headerCall(height)], { isWhole: true })
    .catch((error: unknown) => {
      // Some clients say it of a block, too, where others answer null.
      if (error instanceof RpcRefusal && error.isBeyondHead) return [null];
      throw error;
    });
  await headerOrRound(call, rpc, result, { height, kind: 'behind' });
}

function isTooMuch(error: unknown): boolean {
  return error instanceof NodeFault && error.kind === 'too-much';
}

/** Narrows the next range if that may help. @throws the error itself if not */
function narrow(call: NodeCall, rpc: EvmRpc, { from, to }: BlockRange, error: unknown): void {
  if (!(error instanceof NodeFault)) throw error;
  const { kind, isServerError } = error;
  const isRefused = error instanceof RpcRefusal || error.isRejected;
  const mayHelp = isRefused || kind === 'too-much' || isServerError;
  if (!mayHelp) throw error;
  const blocks = to - from;
  const { width } = rpc.of(call.node);
  if (blocks === 1) {
    // It can't get narrower, so the node itself is at fault.
    width.failed();
    throw kind === 'too-much' ? unableForOne(error, 'block') : error;
  }
  const hint = error instanceof RpcRefusal ? error.hint : undefined;
  width.refused(blocks, hint?.from === from + 1 ? hint.to - from : undefined, isServerError);
}

async function askRange(
  call: NodeCall,
  { rpc, inputs, maxBytes = BODY_MOST }: RangeQuestion,
  { from, to }: BlockRange,
): Promise<RangeAnswer> {
  const [fromBlock, toBlock] = [quantityOf(from + 1), quantityOf(to)];
  // Ask the same node for the headers, and without batches ask for the last one before the logs: a node that lacks
  // it returns no logs and no error. The others come after the logs, so that a node behind whose address another
  // chain answers meanwhile contradicts itself.
  const { kept, height: newest, width } = rpc.of(call.node);
  const isDoubtful = kept.isDoubtful(from + 1, newest);
  const below = [...(from < 0 ? [] : [from]), ...(isDoubtful ? [from + 1] : [])];
  const calls: RpcCall[] = [
    headerCall(to),
    ...inputs.filters.map((filter) => ({
      method: 'eth_getLogs',
      params: [{ ...filter, fromBlock, toBlock }],
    })),
    ...below.map(headerCall),
  ];
  const [lastResult, ...others] = await rpc.ask(call, calls, {
    maxBytes: to - from === 1 ? BLOCK_MOST : maxBytes,
    isProven: width.hasAnswered(to - from),
    isWide: to - from > 1,
  });
  // Parsing it has taken long enough for one turn.
  await nextTurn();
  const header = (result: unknown, height: number, kind: 'behind' | 'unfit') =>
    headerOrRound(call, rpc, result, { height, kind });
  const last = await header(lastResult, to, 'behind');
  const found = others.splice(0, inputs.filters.length);
  const before = from < 0 ? undefined : await header(others.shift(), from, 'unfit');
  const first = isDoubtful ? await header(others.shift(), from + 1, 'unfit') : undefined;
  const logs = logsOf(call, found, inputs, { from, to });
  if (logs.some(({ block, blockHash }) => block === to && blockHash !== last.hash)) {
    throw contradiction(call);
  }
  if (first !== undefined) await requireKeptLogs(call, rpc, [first, last], logs);
  return { before, last, logs };
}

function logsOf(
  call: NodeCall,
  results: readonly unknown[],
  inputs: RangeQuestion['inputs'],
  { from, to }: BlockRange,
): EvmLog[] {
  const logs: EvmLog[] = [];
  for (const result of results) {
    // Some nodes say so where there are none.
    if (result === null) continue;
    if (!Array.isArray(result)) throw call.fault('broken', 'sent something other than logs');
    for (const each of result) {
      const log = parseLog(each);
      if (log === undefined || log.block <= from || log.block > to) {
        throw call.fault('broken', "sent a log that wasn't requested or is malformed");
      }
      if (inputs.isWanted(log)) logs.push(log);
    }
  }
  logs.sort(compareLogs);
  // Logs with one number are next to each other, and few.
  let texts = new Set<string>();
  return logs.filter((log, place) => {
    const previous = logs[place - 1];
    if (previous?.block === log.block && previous.blockHash !== log.blockHash) {
      throw contradiction(call);
    }
    if (previous === undefined || compareLogs(previous, log) !== 0) {
      texts = new Set();
      const next = logs[place + 1];
      if (next === undefined || compareLogs(log, next) !== 0) return true;
    }
    const text = logText(log);
    const isNew = !texts.has(text);
    texts.add(text);
    return isNew;
  });
}

/** Headers to look at in a range. */
const SAMPLED = 100;

/**
 * Makes sure that a node has the logs of a range: one that has pruned them may answer with an empty list
 * instead of an error, and so may every other node.
 * @param headers the range's first and last
 * @param logs what the node has of the contracts that we read
 * @throws NodeFault `unfit` if it lacks them
 */
async function requireKeptLogs(
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
