import { hexToString, toEventSelector } from 'viem';
import type { SourceEvent, SourceInput } from '#scoring';
import { CompiledInputs } from '#sources/evm/compile';
import { codeLogs, proxyWords } from '#sources/evm/contract/code-words';
import { contractCode, delegates } from '#sources/evm/contract/proxy';
import { newestLogs } from '#sources/evm/contract/sample-contract';
import { CallReverted, type EvmRpc } from '#sources/evm/node/rpc';
import { WORD } from '#sources/evm/words';
import type { NodeCall } from '#sources/node/call';
import { NodeFault } from '#sources/node/fault';
import { type FirstBlock, firstBlockOf } from './first-block.ts';

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
  /** Of those asked about, the events that the code that answers for it can't log, as far as that can be told. */
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
  const isTold = run !== undefined && !delegates(run);
  return {
    ...{ hasCode: true, proxy },
    missing: isTold ? events.filter((each) => !codeLogs(run, each)) : [],
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
