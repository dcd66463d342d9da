import {
  type Argument,
  isAskedDaily,
  parseSolidityEvent,
  type Signature,
  type SourceInput,
} from '#scoring';
import { CompiledInputs } from '#sources/evm/compile';
import { compileValues } from '#sources/evm/decode-event';
import { type EvmLog, WORD } from '#sources/evm/log';
import { type RangeQuestion, readLogs } from '#sources/evm/node/range';
import type { EvmRpc } from '#sources/evm/node/rpc';
import { NodeFault } from '#sources/node/fault';
import type { NodeCall } from '#sources/node/node';
import { codeWords, proxyWords, silentWords } from './code-words.ts';
import { type ContractCode, contractCode } from './proxy.ts';
import {
  type LogWindow,
  type TokenKind,
  tokenKind,
  USE_BALANCE,
  unnamedHolder,
} from './token-kind.ts';

/** Blocks to look through first, and how much more each time. */
const FIRST_BLOCKS = 250;
const GROWTH = 4;
/** That many logs show enough. */
const ENOUGH = 20;
const MOST_BLOCKS = 100_000;

/** How the newest logs of a contract fit what a rule declares. */
export interface ContractSample {
  readonly contract: string;
  readonly hasCode: boolean;
  /** Whose code answers for it, as a sentence; undefined if its own does. */
  readonly proxy: string | undefined;
  /** Blocks that were looked through, the first one and the last. */
  readonly from: number;
  readonly to: number;
  readonly logs: number;
  readonly fit: number;
  /** What to change; undefined if nothing is known. */
  readonly hint: string | undefined;
  /** How to get its balances, or what its code lacks, as a sentence; undefined if there's nothing to say. */
  readonly balances: string | undefined;
}

/**
 * Looks at a contract's code and newest logs.
 * @param head the newest final block
 * @param until stops looking further back, by performance.now()
 * @throws NodeFault
 */
export async function sampleContract(
  call: NodeCall,
  rpc: EvmRpc,
  input: SourceInput,
  head: number,
  until: number,
): Promise<ContractSample | undefined> {
  const contract = contractOf(input);
  if (contract === undefined) return undefined;
  const wide = new CompiledInputs([isAskedDaily(input) ? input : widened(input)]);
  const { all, from } = await newestLogs(call, rpc, wide, head, until);
  const logs = all.slice(-ENOUGH);
  const code = await codeOf(call, rpc, contract, logs.length > 0);
  const hasCode = logs.length > 0 || code?.own !== '';
  const misfits = misfitsOf(input, logs);
  const others = misfits.length > 0 ? misfits : await firstMisfits(call, rpc, input, head);
  const window = { logs: all, from, to: head };
  const { kind, words } = await balancesIn(call, rpc, input, window, until);
  const isConclusive = kind !== undefined && kind.kind !== 'unknown';
  const silent = code && silentWords(input, code);
  const found = isConclusive || code === undefined ? words : (codeWords(input, code) ?? words);
  const proxy = code && proxyWords(code);
  return {
    ...{ contract, hasCode, proxy, from: from + 1, to: head, logs: logs.length },
    fit: logs.length - misfits.length,
    // Other events don't help where balances follow none.
    hint:
      others.length === 0 || silent !== undefined || isMoved(kind)
        ? undefined
        : hintFor(input, others),
    balances: silent ?? found,
  };
}

/** How a token's balances follow its events, and what to say of it; nothing for what's no token. */
async function balancesIn(
  call: NodeCall,
  rpc: EvmRpc,
  input: SourceInput,
  window: LogWindow,
  until: number,
): Promise<{ readonly kind?: TokenKind; readonly words?: string | undefined }> {
  const token = widened(input);
  if (token.kind !== 'hold' || input.kind !== 'hold' || !isToken(input)) return {};
  const contract = contractOf(input) ?? '';
  const others = await otherLogs(call, rpc, contract, window.to, until);
  const kind = await tokenKind(call, rpc, token, [window, others]);
  const unnamed = isAskedDaily(input) ? await unnamedHolder(call, rpc, input, others) : undefined;
  if (unnamed !== undefined) return { kind, words: unnamedWords(unnamed) };
  // A contract that has logged nothing can only be judged by what was seen elsewhere.
  const isTold = kind.kind === 'differs' || kind.kind === 'other';
  if (window.logs.length === 0 && !isTold) return {};
  return { kind, words: balanceWords(kind, input) };
}

function unnamedWords(holder: string): string {
  return `${holder} got some by an event that "by: balance" doesn't know: who is named by such events alone isn't asked for, and gets no points.`;
}

function isToken({ holding }: SourceInput & { readonly kind: 'hold' }): boolean {
  return holding.kind === 'erc20' || holding.kind === 'erc721' || holding.kind === 'erc1155';
}

/** Whether balances don't change by all events that may move them. */
function isMoved(kind: TokenKind | undefined): boolean {
  return kind !== undefined && ['shares', 'differs', 'transfers', 'other'].includes(kind.kind);
}

function balanceWords(kind: TokenKind, input: SourceInput): string | undefined {
  const isAsked = isAskedDaily(input);
  const canAsk = input.kind === 'hold' && 'by' in input.holding;
  switch (kind.kind) {
    case 'transfers':
      if (isAsked) {
        return 'Its balances follow its transfers in these blocks, so a rule without "by" may do with fewer requests.';
      }
      return isByEvents(input)
        ? 'Its balances follow its transfers alone, so its other events would count twice: leave out "by: events".'
        : 'Its balances follow its transfers alone.';
    case 'follows':
      return isAsked
        ? 'Its balances follow its events in these blocks, so "by: events" may do with fewer requests.'
        : undefined;
    case 'shares':
      return isAsked
        ? undefined
        : `It keeps shares, so its balances change without events (it rebases): ${USE_BALANCE}`;
    case 'differs':
      return isAsked
        ? undefined
        : `The balance of ${kind.holder} doesn't follow its events (it rebases, takes a fee, or moves tokens by other events): ${canAsk ? USE_BALANCE : 'the rule would give no points.'}`;
    case 'other':
      return `Its transfers are those of another kind of token: declare it as "${kind.as}".`;
    case 'unknown':
      return isAsked
        ? undefined
        : `Whether its balances follow its events can't be told now: ${kind.why}.`;
  }
}

function isByEvents(input: SourceInput): boolean {
  return input.kind === 'hold' && 'by' in input.holding && input.holding.by === 'events';
}

/** @param hasLogs whether it has logged something, so that its code isn't needed @throws NodeFault */
async function codeOf(
  call: NodeCall,
  rpc: EvmRpc,
  contract: string,
  hasLogs: boolean,
): Promise<ContractCode | undefined> {
  try {
    return await contractCode(call, rpc, contract);
  } catch (error) {
    if (!(hasLogs && error instanceof NodeFault)) throw error;
    return undefined;
  }
}

/** The newest logs of some inputs, at least so many as say enough, in order. @throws NodeFault */
export async function newestLogs(
  call: NodeCall,
  rpc: EvmRpc,
  inputs: RangeQuestion['inputs'],
  head: number,
  until: number,
): Promise<{ readonly all: readonly EvmLog[]; readonly from: number }> {
  const logs: EvmLog[] = [];
  let [to, blocks] = [head, FIRST_BLOCKS];
  const isOver = () => head - to >= MOST_BLOCKS || (to < head && performance.now() >= until);
  while (to > 0 && logs.length < ENOUGH && !isOver()) {
    const from = Math.max(0, to - blocks);
    try {
      logs.unshift(...(await readLogs(call, { rpc, inputs }, { from, to })).logs);
    } catch (error) {
      // Too many logs, or none that old: what was found before says enough.
      if (error instanceof NodeFault && to !== head) break;
      // Few blocks of a busy contract have enough.
      const isNarrower = error instanceof NodeFault && error.kind === 'too-much' && blocks > 1;
      if (!isNarrower) throw error;
      blocks = Math.ceil(blocks / GROWTH ** 2);
      continue;
    }
    [to, blocks] = [from, blocks * GROWTH];
  }
  return { all: logs, from: to };
}

/** The newest logs of a contract, whatever they are; none where the node doesn't send them without topics. */
async function otherLogs(
  call: NodeCall,
  rpc: EvmRpc,
  contract: string,
  head: number,
  until: number,
): Promise<LogWindow> {
  const own = contract.toLowerCase();
  const inputs = {
    filters: [{ address: [own] }],
    isWanted: ({ address }: EvmLog) => address === own,
  };
  try {
    const { all, from } = await newestLogs(call, rpc, inputs, head, until);
    return { logs: all, from, to: head };
  } catch (error) {
    if (!(error instanceof NodeFault)) throw error;
    return { logs: [], from: head, to: head };
  }
}

function contractOf(input: SourceInput): string | undefined {
  if (input.kind === 'evm-event') return input.contract;
  return input.kind === 'hold' && 'contract' in input.holding ? input.holding.contract : undefined;
}

/** The input with all that may move a token's balance. */
function widened(input: SourceInput): SourceInput {
  if (input.kind !== 'hold') return input;
  const { holding } = input;
  const isToken = holding.kind === 'erc20' || holding.kind === 'erc721';
  return isToken ? { ...input, holding: { ...holding, by: 'events' } } : input;
}

function misfitsOf(input: SourceInput, logs: readonly EvmLog[]): readonly EvmLog[] {
  const compiled = new CompiledInputs([input]);
  return logs.filter((log) => {
    const leftOut = [0];
    compiled.events([log], () => 0, leftOut);
    return leftOut[0] !== 0 || !compiled.isWanted(log);
  });
}

/**
 * The first logs of a token that move balances by other events than a rule reads: a collection is handed out once, by
 * a constructor whose code isn't kept, and its newest logs are plain transfers. None where the node doesn't tell.
 */
async function firstMisfits(
  call: NodeCall,
  rpc: EvmRpc,
  input: SourceInput,
  head: number,
): Promise<readonly EvmLog[]> {
  if (input.kind !== 'hold' || input.since.kind !== 'height') return [];
  const wide = widened(input);
  if (wide === input || isAskedDaily(input)) return [];
  const from = Math.max(0, Number(input.since.height) - 1);
  const range = { from, to: Math.min(head, from + FIRST_BLOCKS) };
  if (range.to <= from) return [];
  try {
    const inputs = new CompiledInputs([wide]);
    return misfitsOf(input, (await readLogs(call, { rpc, inputs }, range)).logs);
  } catch (error) {
    if (!(error instanceof NodeFault)) throw error;
    return [];
  }
}

function hintFor(input: SourceInput, misfits: readonly EvmLog[]): string | undefined {
  if (input.kind === 'hold') {
    const wide = widened(input);
    const isHelped = wide !== input && misfitsOf(wide, misfits).length < misfits.length;
    return isHelped
      ? 'its balances change by other events than a plain Transfer: add "by: events" to "hold".'
      : undefined;
  }
  if (input.kind !== 'evm-event' || input.events.length !== 1) return undefined;
  const [event] = input.events;
  const guess = event && guessIndexed(event, misfits);
  if (guess === undefined) return 'is it declared as in the contract?';
  const named = (names: readonly string[]) => names.map((each) => `"${each}"`).join(' and ');
  const are = (names: readonly string[]) => (names.length === 1 ? 'is' : 'are');
  const { isIndexed, isPlain } = guess;
  const parts = [
    ...(isIndexed.length > 0
      ? [`${are(isIndexed)} ${named(isIndexed)} indexed in the contract`]
      : []),
    ...(isPlain.length > 0
      ? [`${are(isPlain)} ${named(isPlain)} not indexed in the contract`]
      : []),
  ];
  return parts.length === 0 ? undefined : `${parts.join(', and ')}?`;
}

type SampledLog = Pick<EvmLog, 'topics' | 'data'>;

/** Arguments whose `indexed` is the other way round in the contract, as far as logs show it. */
export interface GuessedIndexed {
  readonly isIndexed: readonly string[];
  readonly isPlain: readonly string[];
}

/**
 * Finds which arguments a contract indexes, from logs that don't fit an event's declaration.
 * @returns undefined if no choice of arguments fits all logs
 */
export function guessIndexed(
  { name, args }: Signature,
  logs: readonly SampledLog[],
): GuessedIndexed | undefined {
  const count = (logs[0]?.topics.length ?? 0) - 1;
  const changesOf = (flags: readonly boolean[]) =>
    flags.filter((flag, place) => flag !== args[place]?.isIndexed).length;
  const [best] = choices(args.length, count)
    .filter((flags) => {
      const event = parseSolidityEvent(declarationOf(name, args, flags));
      const valuesOf = compileValues(event);
      return logs.every((log) => valuesOf(log) !== undefined && isPlausible(event, log));
    })
    .sort((one, other) => changesOf(one) - changesOf(other));
  if (best === undefined) return undefined;
  const changed = (isIndexed: boolean) =>
    args.flatMap((each, place) =>
      best[place] === isIndexed && each.isIndexed !== isIndexed ? [each.name ?? String(place)] : [],
    );
  return { isIndexed: changed(true), isPlain: changed(false) };
}

function declarationOf(name: string, args: readonly Argument[], flags: readonly boolean[]): string {
  const parts = args.map(({ type, name: own = '' }, place) =>
    [type, flags[place] === true ? 'indexed' : '', own].join(' '),
  );
  return `${name}(${parts.join(',')})`;
}

/** All ways of choosing so many of some places; none where there are too many. */
function choices(places: number, count: number): boolean[][] {
  if (count < 0 || count > places || places > 16) return [];
  if (places === 0) return [[]];
  return [
    ...choices(places - 1, count - 1).map((rest) => [true, ...rest]),
    ...choices(places - 1, count).map((rest) => [false, ...rest]),
  ];
}

const BEFORE_ADDRESS = '0'.repeat(WORD - 40);
/** Numbers below 2^80 have as many zeros, and no address that anybody has a key for. */
const BEFORE_NUMBER = '0'.repeat(WORD - 20);

/** Whether words that should be addresses have an address's length, and nothing is left of the data. */
function isPlausible({ args }: Signature, { topics, data }: SampledLog): boolean {
  let topic = 1;
  let place = 0;
  for (const { kind, isIndexed } of args) {
    const from = 2 + place * WORD;
    const word = isIndexed ? (topics[topic++] ?? '').slice(2) : data.slice(from, from + WORD);
    if (!isIndexed) place += 1;
    if (kind === 'address' && !word.startsWith(BEFORE_ADDRESS)) return false;
    if (kind === 'address' && word.startsWith(BEFORE_NUMBER) && /[^0]/.test(word)) return false;
  }
  const isFixed = args.every(
    ({ kind, type, isIndexed }) =>
      isIndexed || ['address', 'integer', 'boolean'].includes(kind) || /^bytes\d+$/.test(type),
  );
  return !isFixed || data.length === 2 + place * WORD;
}
