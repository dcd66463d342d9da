import { toFunctionSelector } from 'viem';
import type { RpcCall } from '#base';
import { NOBODY, type SourceInput } from '#scoring';
import { balanceCall, kindOfTransfer } from '#sources/evm/balances';
import { CompiledInputs } from '#sources/evm/compile';
import { addressWordsIn, type EvmLog, quantityOf, WORD } from '#sources/evm/log';
import { CallReverted, type EvmRpc } from '#sources/evm/node/rpc';
import { NodeFault } from '#sources/node/fault';
import type { NodeCall } from '#sources/node/node';

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
  | { readonly kind: 'other'; readonly as: 'erc20' | 'erc721' | 'erc1155' }
  | { readonly kind: 'unknown'; readonly why: string };

/** The logs of some blocks: behind `from`, up to `to`. */
export interface LogWindow {
  readonly logs: readonly EvmLog[];
  readonly from: number;
  readonly to: number;
}

/**
 * Compares what holders gained and lost in some blocks by all events that move balances with what the contract says.
 * @param input whose `by` is `events`, where its kind of token has one
 * @param windows the logs of those events, and whatever logs the contract has
 */
export async function tokenKind(
  call: NodeCall,
  rpc: EvmRpc,
  input: SourceInput & { readonly kind: 'hold' },
  [window, others]: readonly [LogWindow, LogWindow],
): Promise<TokenKind> {
  const kind = await kindBy(call, rpc, input, window, others);
  const { holding } = input;
  const other = kind.kind === 'follows' ? undefined : await otherKind(call, rpc, input, others);
  if (other !== undefined) return { kind: 'other', as: other };
  if (kind.kind !== 'differs' || !(holding.kind === 'erc20' || holding.kind === 'erc721')) {
    return kind;
  }
  // Many tokens log deposits and mints beside a transfer, and staking tokens those of something else.
  const plain = { ...input, holding: { ...holding, by: undefined } };
  const byTransfers = await kindBy(call, rpc, plain, window, others);
  return byTransfers.kind === 'follows' ? { kind: 'transfers' } : kind;
}

/**
 * As what a token should be declared that is of another kind than a rule says: all its transfers are, and for that kind
 * balances follow them. Undefined where that isn't sure.
 */
async function otherKind(
  call: NodeCall,
  rpc: EvmRpc,
  input: SourceInput & { readonly kind: 'hold' },
  others: LogWindow,
) {
  const { holding } = input;
  const [as, ...more] = new Set(others.logs.flatMap((log) => kindOfTransfer(log) ?? []));
  if (as === undefined || more.length > 0 || as === holding.kind || !('contract' in holding)) {
    return undefined;
  }
  // Which of its tokens is meant isn't known.
  if (as === 'erc1155') return as;
  const { contract } = holding;
  const otherwise = { ...input, holding: { kind: as, contract } };
  const { kind } = await kindBy(call, rpc, otherwise, others, others);
  return kind === 'follows' ? as : undefined;
}

async function kindBy(
  call: NodeCall,
  rpc: EvmRpc,
  input: SourceInput & { readonly kind: 'hold' },
  { logs, from, to }: LogWindow,
  others: LogWindow,
): Promise<TokenKind> {
  const { since } = input;
  const begin = since.kind === 'height' ? Math.max(from, Number(since.height) - 1) : from;
  const [first] = logs;
  const compare = (window: LogWindow, holders: readonly Change[]) =>
    compared(call, rpc, input, window, holders);
  try {
    const [[holder] = []] = holdersIn(input, { logs, from: -1 });
    const mayShare = holder !== undefined && input.holding.kind !== 'erc1155';
    if (mayShare && (await hasShares(call, rpc, input, holder))) {
      return { kind: 'shares' };
    }
    const whole = { logs, from: begin, to };
    // It may have been deployed in these blocks, and its constructor may have given tokens without an event.
    const later = first === undefined ? [] : [{ logs, from: first.block, to }];
    let known: TokenKind | undefined;
    for (const window of [whole, ...later]) {
      known ??= await compare(window, holdersIn(input, window));
    }
    if (known !== undefined && known.kind !== 'follows' && known !== TOO_FEW) return known;
    // Whom no event that is read names may have got some by another one.
    const [firstOther] = others.logs;
    if (firstOther === undefined) return known ?? TOO_FEW;
    const wide = { ...others, from: Math.max(others.from, begin) };
    for (const window of [wide, { ...others, from: firstOther.block }]) {
      const found = await compare(window, namedIn(input, window));
      if (found?.kind === 'differs') return found;
      if (found !== undefined) break;
    }
    return known ?? TOO_FEW;
  } catch (error) {
    if (!(error instanceof NodeFault)) throw error;
    return { kind: 'unknown', why: `the node tells no balances of block ${begin}` };
  }
}

const TOO_FEW: TokenKind = { kind: 'unknown', why: 'it has too few logs' };
const SILENT: TokenKind = { kind: 'unknown', why: "the contract doesn't answer balanceOf" };

/** @returns undefined if there was no contract before these blocks */
async function compared(
  call: NodeCall,
  rpc: EvmRpc,
  input: SourceInput & { readonly kind: 'hold' },
  window: LogWindow,
  holders: readonly Change[],
): Promise<TokenKind | undefined> {
  if (holders.length === 0) return TOO_FEW;
  const { before, after } = await heldBy(call, rpc, input, window, holders);
  if (after.every((each) => each === undefined)) return SILENT;
  if (before.every((each) => each === undefined)) return undefined;
  for (const [place, [address, change]] of holders.entries()) {
    const [was, is] = [before[place], after[place]];
    // It doesn't answer for some, which says nothing of the others.
    if (was === undefined || is === undefined) continue;
    if (is - was !== change) return { kind: 'differs', holder: address };
  }
  return { kind: 'follows' };
}

/**
 * Somebody who got tokens by an event that doesn't name them to a rule that asks for balances; undefined if nobody is
 * seen, or no node tells.
 * @param others whatever logs the contract has
 */
export async function unnamedHolder(
  call: NodeCall,
  rpc: EvmRpc,
  input: SourceInput & { readonly kind: 'hold' },
  others: LogWindow,
): Promise<string | undefined> {
  const [first] = others.logs;
  if (first === undefined) return undefined;
  try {
    for (const window of [others, { ...others, from: first.block }]) {
      const holders = namedIn(input, window);
      if (holders.length === 0) continue;
      const { before, after } = await heldBy(call, rpc, input, window, holders);
      // Wallets that had some before may have been named before, too; of what wasn't there yet, nobody had any.
      const isNew = before.every((each) => each === undefined);
      const place = holders.findIndex(
        (_, at) => (isNew || before[at] === 0n) && (after[at] ?? 0n) > 0n,
      );
      if (place !== -1) return holders[place]?.[0];
    }
  } catch (error) {
    if (!(error instanceof NodeFault)) throw error;
  }
  return undefined;
}

async function heldBy(
  call: NodeCall,
  rpc: EvmRpc,
  { holding }: SourceInput & { readonly kind: 'hold' },
  { from, to }: LogWindow,
  holders: readonly Change[],
) {
  const asked = holders.flatMap(([address]) => balanceCall(holding, address) ?? []);
  const balancesBefore = async (height: number) => {
    const calls = asked.map((each) => ({ method: 'eth_call', params: [each, quantityOf(height)] }));
    return await wordsOf(call, rpc, calls);
  };
  return { before: await balancesBefore(from), after: await balancesBefore(to) };
}

/** The first words of what calls return; undefined where one returns none, or the contract ends it. */
async function wordsOf(
  call: NodeCall,
  rpc: EvmRpc,
  calls: readonly RpcCall[],
): Promise<readonly (bigint | undefined)[]> {
  try {
    return (await rpc.ask(call, calls, { isWhole: true })).map(wordOf);
  } catch (error) {
    if (!(error instanceof CallReverted)) throw error;
    if (calls.length === 1) return [undefined];
  }
  const words: (bigint | undefined)[] = [];
  for (const each of calls) words.push(...(await wordsOf(call, rpc, [each])));
  return words;
}

/** An address with how much more it has. */
type Change = readonly [address: string, change: bigint];

/** Those whom other events named last, which say nothing of how much they have. */
function namedIn(input: SourceInput, { logs, from }: LogWindow): readonly Change[] {
  const changes = new Map(changesIn(input, { logs, from }));
  const named = new Set<string>();
  for (const { topics, data, block } of logs) {
    if (block <= from) continue;
    for (const address of addressWordsIn([...topics, data])) named.add(address);
  }
  const known = new Set([...changes.keys(), ...BURNED]);
  return [...named.difference(known)].slice(-HOLDERS).map((address) => [address, 0n]);
}

/** Those who moved tokens last, with how the events changed their balances. */
function holdersIn(
  input: SourceInput,
  window: Pick<LogWindow, 'logs' | 'from'>,
): readonly Change[] {
  const changes = changesIn(input, window).filter(([address]) => !BURNED.has(address));
  return changes.slice(-HOLDERS);
}

/** What they hold doesn't count, and some contracts keep other figures of what is burned. */
const BURNED: ReadonlySet<string> = new Set(NOBODY.evm);

function changesIn(
  input: SourceInput,
  { logs, from }: Pick<LogWindow, 'logs' | 'from'>,
): readonly Change[] {
  const changes = new Map<string, bigint>();
  const own = logs.filter(({ block }) => block > from);
  for (const { wallet, args } of new CompiledInputs([input]).events(own, () => 0, [])) {
    const { amount } = JSON.parse(args) as { amount: string };
    const { address } = wallet;
    const sum = (changes.get(address) ?? 0n) + BigInt(amount);
    changes.delete(address);
    changes.set(address, sum);
  }
  return [...changes];
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
