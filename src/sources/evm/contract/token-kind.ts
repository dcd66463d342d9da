import { toFunctionSelector } from 'viem';
import type { SourceInput } from '#scoring';
import { CompiledInputs } from '#sources/evm/compile';
import { balanceCall } from '#sources/evm/decode-balance';
import type { EvmLog } from '#sources/evm/log';
import { CallReverted, type EvmRpc } from '#sources/evm/node/rpc';
import { quantityOf, WORD } from '#sources/evm/words';
import type { NodeCall } from '#sources/node/call';
import { NodeFault } from '#sources/node/fault';

/** How many holders to look at. */
const HOLDERS = 10;

/** Functions of tokens that keep shares, from which balances follow without events: Lido's, Aave's and Origin's. */
export const SHARES = [
  'sharesOf(address)',
  'scaledBalanceOf(address)',
  'creditsBalanceOf(address)',
];

/** What to do where balances follow no events. */
export const USE_BALANCE = 'use "by: balance", which needs archive nodes.';

/** Whether a token's balances follow its events; `transfers`: of those its transfers alone. */
export type TokenKind =
  | { readonly kind: 'follows' | 'transfers' | 'shares' }
  | { readonly kind: 'differs'; readonly holder: string }
  | { readonly kind: 'unknown'; readonly why: string };

/** The logs of some blocks: behind `from`, up to `to`. */
interface LogWindow {
  readonly logs: readonly EvmLog[];
  readonly from: number;
  readonly to: number;
}

/**
 * Compares what holders gained and lost in some blocks by all events that move balances with what the contract says.
 * @param input whose `by` is `events`
 */
export async function tokenKind(
  call: NodeCall,
  rpc: EvmRpc,
  input: SourceInput & { readonly kind: 'hold' },
  window: LogWindow,
): Promise<TokenKind> {
  const kind = await kindBy(call, rpc, input, window);
  const { holding } = input;
  if (kind.kind !== 'differs' || !(holding.kind === 'erc20' || holding.kind === 'erc721')) {
    return kind;
  }
  // Many tokens log deposits and mints beside a transfer, and staking tokens those of something else.
  const plain = { ...input, holding: { ...holding, by: undefined } };
  const byTransfers = await kindBy(call, rpc, plain, window);
  return byTransfers.kind === 'follows' ? { kind: 'transfers' } : kind;
}

async function kindBy(
  call: NodeCall,
  rpc: EvmRpc,
  input: SourceInput & { readonly kind: 'hold' },
  { logs, from, to }: LogWindow,
): Promise<TokenKind> {
  const { since } = input;
  const begin = since.kind === 'height' ? Math.max(from, Number(since.height) - 1) : from;
  const [first] = logs;
  try {
    const [[holder] = []] = holdersIn(input, { logs, from: -1, to });
    if (holder !== undefined && (await hasShares(call, rpc, input, holder))) {
      return { kind: 'shares' };
    }
    const found = await compared(call, rpc, input, { logs, from: begin, to });
    if (found !== undefined || first === undefined) return found ?? TOO_FEW;
    // It was deployed in these blocks, and its constructor may have given tokens without an event.
    return (await compared(call, rpc, input, { logs, from: first.block, to })) ?? TOO_FEW;
  } catch (error) {
    if (error instanceof CallReverted) {
      return { kind: 'unknown', why: "the contract doesn't answer balanceOf" };
    }
    if (!(error instanceof NodeFault)) throw error;
    return { kind: 'unknown', why: `the node tells no balances of block ${begin}` };
  }
}

const TOO_FEW: TokenKind = { kind: 'unknown', why: 'it has too few logs' };

/** @returns undefined if there was no contract before these blocks */
async function compared(
  call: NodeCall,
  rpc: EvmRpc,
  input: SourceInput & { readonly kind: 'hold' },
  window: LogWindow,
): Promise<TokenKind | undefined> {
  const holders = holdersIn(input, window);
  if (holders.length === 0) return TOO_FEW;
  const told = async (height: number) => {
    const asked = holders.flatMap(([address]) => balanceCall(input.holding, address) ?? []);
    const calls = asked.map((each) => ({ method: 'eth_call', params: [each, quantityOf(height)] }));
    return (await rpc.ask(call, calls, { isWhole: true })).map(wordOf);
  };
  const before = await told(window.from);
  if (before.includes(undefined)) return undefined;
  const after = await told(window.to);
  for (const [place, [address, change]] of holders.entries()) {
    const gained = (after[place] ?? 0n) - (before[place] ?? 0n);
    if (gained !== change) return { kind: 'differs', holder: address };
  }
  return { kind: 'follows' };
}

/** Those who moved tokens last, with how the events changed their balances. */
function holdersIn(
  input: SourceInput,
  { logs, from }: LogWindow,
): readonly (readonly [address: string, change: bigint])[] {
  const changes = new Map<string, bigint>();
  const own = logs.filter(({ block }) => block > from);
  for (const { wallet, args } of new CompiledInputs([input]).events(own, () => 0, [])) {
    const { amount } = JSON.parse(args) as { amount: string };
    const { address } = wallet;
    const sum = (changes.get(address) ?? 0n) + BigInt(amount);
    changes.delete(address);
    changes.set(address, sum);
  }
  return [...changes].slice(-HOLDERS);
}

async function hasShares(
  call: NodeCall,
  rpc: EvmRpc,
  { holding }: SourceInput & { readonly kind: 'hold' },
  holder: string,
): Promise<boolean> {
  const owner = holder.slice(2).toLowerCase().padStart(WORD, '0');
  for (const each of SHARES) {
    const to = 'contract' in holding ? holding.contract : '';
    const data = `${toFunctionSelector(each)}${owner}`;
    const asked = [{ method: 'eth_call', params: [{ to, data }, 'latest'] }];
    try {
      const [result] = await rpc.ask(call, asked, { isWhole: true });
      if (wordOf(result) !== undefined) return true;
    } catch (error) {
      if (!(error instanceof CallReverted || error instanceof NodeFault)) throw error;
    }
  }
  return false;
}

/** The first word of a result; undefined if it has none. */
function wordOf(result: unknown): bigint | undefined {
  if (typeof result !== 'string' || !/^0x([0-9a-f]{64})+$/i.test(result)) return undefined;
  return BigInt(result.slice(0, 2 + WORD));
}
