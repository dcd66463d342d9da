import { hexToString, toEventSelector } from 'viem';
import { fieldOf } from '#base';
import type { SourceEvent, SourceInput } from '#scoring';
import { CompiledInputs } from '#sources/evm/compile';
import { codeLogs, proxyWords } from '#sources/evm/contract/code-words';
import { codeIn, contractCode, delegates } from '#sources/evm/contract/proxy';
import { newestLogs } from '#sources/evm/contract/sample-contract';
import { quantityIn, quantityOf, WORD } from '#sources/evm/log';
import { CallReverted, type EvmRpc } from '#sources/evm/node/rpc';
import { NodeFault } from '#sources/node/fault';
import type { NodeCall } from '#sources/node/node';

/** What to look at a contract for. */
export interface ContractQuestion {
  readonly contract: string;
  /** Events that it should log: `VoteCast(address,uint256,uint8,uint256,string)`. */
  readonly events: readonly string[];
}

/** What a node says of a contract. */
export interface ContractFacts {
  readonly hasCode: boolean;
  /** What it is a proxy of, as a sentence; undefined if it runs its own code. */
  readonly proxy: string | undefined;
  /** Which of the given events the code that answers for it can't log, as far as that can be told. */
  readonly missing: readonly string[];
  /** What a token says of itself. */
  readonly symbol: string | undefined;
  readonly decimals: number | undefined;
  /** Where to begin reading; undefined if this node can't tell. */
  readonly first: FirstBlock | undefined;
}

/** The selectors of `symbol()` and `decimals()`. */
const SYMBOL = '0x95d89b41';
const DECIMALS = '0x313ce567';
const SYMBOL_MOST = 32;
/** What's known of an address without a contract. */
const NOTHING = { missing: [], symbol: undefined, decimals: undefined, first: undefined };

/**
 * Looks at a contract's code, name and first log.
 * @param head the newest final block
 * @throws NodeFault
 */
export async function inspectContract(
  call: NodeCall,
  rpc: EvmRpc,
  { contract, events }: ContractQuestion,
  head: number,
): Promise<ContractFacts> {
  const code = await contractCode(call, rpc, contract);
  const proxy = proxyWords(code);
  if (code.own === '') {
    return { ...NOTHING, hasCode: false, proxy };
  }
  const topics = events.map((each) => toEventSelector(each));
  const { run } = code;
  // Code that this one runs in turn may log anything.
  const logsItself = run !== undefined && !delegates(run);
  return {
    ...{ hasCode: true, proxy },
    missing: logsItself ? events.filter((each) => !codeLogs(run, each)) : [],
    symbol: symbolIn(await resultOf(call, rpc, contract, SYMBOL)),
    decimals: decimalsIn(await resultOf(call, rpc, contract, DECIMALS)),
    first: await firstBlockOf(call, rpc, { contract, topics, head }),
  };
}

/** The newest events of some inputs, the newest first. @param until when to stop looking, by performance.now() */
export async function newestEvents(
  call: NodeCall,
  rpc: EvmRpc,
  input: SourceInput,
  head: number,
  until: number,
): Promise<readonly SourceEvent[]> {
  const inputs = new CompiledInputs([input]);
  const { all } = await newestLogs(call, rpc, inputs, head, until);
  return inputs.events(all, ({ time }) => time ?? 0, []).reverse();
}

async function resultOf(
  call: NodeCall,
  rpc: EvmRpc,
  to: string,
  data: string,
): Promise<string | undefined> {
  const asked = [{ method: 'eth_call', params: [{ to, data }, 'latest'] }];
  try {
    const [result] = await rpc.ask(call, asked, { isWhole: true });
    return typeof result === 'string' && /^0x([0-9a-f]{2})+$/i.test(result) ? result : undefined;
  } catch (error) {
    // Not every node names a revert as one.
    if (error instanceof CallReverted) return undefined;
    if (error instanceof NodeFault && error.kind === 'refused') return undefined;
    throw error;
  }
}

/** A text, or 32 bytes as in the tokens that are older than the standard. Contracts may say anything. */
function symbolIn(result: string | undefined): string | undefined {
  if (result === undefined) return undefined;
  const hex = result.slice(2);
  const isText = hex.length >= 3 * WORD && BigInt(`0x${hex.slice(0, WORD)}`) === 32n;
  const length = isText ? BigInt(`0x${hex.slice(WORD, 2 * WORD)}`) : 32n;
  if (length > BigInt(SYMBOL_MOST)) return undefined;
  const from = isText ? 2 * WORD : 0;
  const bytes = hex.slice(from, from + 2 * Number(length));
  const text = hexToString(`0x${bytes}`).replace(/\0+$/, '');
  return /^[\p{L}\p{N}\p{S}][\p{L}\p{N}\p{S}._ -]{0,31}$/u.test(text) ? text : undefined;
}

function decimalsIn(result: string | undefined): number | undefined {
  if (result?.length !== 2 + WORD) return undefined;
  const decimals = BigInt(result);
  return decimals <= 77n ? Number(decimals) : undefined;
}

/** How far behind the deployment to look for the first log. */
const NEAR = 1_000;
/** A chain of 2^40 blocks needs no more steps. */
const STEPS_MOST = 40;

/** Where a contract's history begins. */
interface FirstBlock {
  readonly block: number;
  /** `log`: its first log that was asked for. `code`: its deployment, before which there's none. */
  readonly by: 'log' | 'code';
}

interface FirstQuestion {
  readonly contract: string;
  /** Topics of the wanted events; empty: any log. */
  readonly topics: readonly string[];
  readonly head: number;
}

/**
 * Finds the first block with a log of a contract, by bisection: for its deployment with an archive node, and else
 * for its logs with a node that answers for any range.
 * @returns undefined if the node does neither
 */
async function firstBlockOf(
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
  const found = await ifAnswered(() => firstWhere(hasCode, head));
  // A node that has pruned old states may say that there was no code, instead of an error.
  const hadLogs = found !== undefined && (await hasLogsBefore(call, rpc, question, found));
  const deployed = hadLogs ? undefined : found;
  if (deployed === undefined) {
    const hasLogs = (height: number) => logsIn(call, rpc, question, 0, height).then(isAny);
    const block = await ifAnswered(() => firstWhere(hasLogs, head));
    return block === undefined ? undefined : { block, by: 'log' };
  }
  const near = await ifAnswered(() =>
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
    ifAnswered(() => logsIn(call, rpc, { ...question, topics: [] }, from, block - 1));
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
async function ifAnswered<T>(work: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof NodeFault)) throw error;
    if (error.kind === 'unreachable' || error.kind === 'limited') throw error;
    return undefined;
  }
}
