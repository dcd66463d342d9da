import { messageOf, RetryableError } from '#base';
import {
  inputsOf,
  type ScoringRule,
  type Source,
  type SourceEvent,
  type SourceInput,
  type SourcePosition,
} from '#scoring';
import type { ContractSample } from '#sources/evm/contract/sample-contract';
import type { ContractFacts, ContractQuestion } from '#sources/evm/inspect/inspect-contract';
import { HostPaces } from '#sources/host-pace';
import { openSource } from '#sources/open-source';
import { type ChainSource, type NodeStatus, SourceStopped, type TokenUnit } from '#sources/source';
import { Starts } from '#sources/starts';

const PATIENCE_MS = 20_000;

/** The value of an environment variable. */
type Variable = (name: string) => string | undefined;

/**
 * Asks a source something and closes it.
 * @returns what `work` does, or a sentence that says why the source can't be asked now
 */
async function withSource<T>(
  source: Source,
  variable: Variable,
  work: (chain: ChainSource, signal: AbortSignal) => Promise<T>,
): Promise<T | string> {
  const paces = new HostPaces();
  const signal = AbortSignal.timeout(PATIENCE_MS);
  let chain: ChainSource | undefined;
  try {
    chain = await openSource(source, variable, paces);
    return await work(chain, signal);
  } catch (error) {
    if (error instanceof RetryableError || error instanceof SourceStopped) return error.message;
    if (!signal.aborted) throw error;
    return tooLong(source, PATIENCE_MS);
  } finally {
    await chain?.close();
    paces.close();
  }
}

/** Says which nodes haven't answered, and for how long they were waited for. */
function tooLong({ id, variables }: Source, patienceMs: number): string {
  const names = variables.join(' and ');
  return `The ${variables.length === 1 ? 'node' : 'nodes'} of ${id} (${names}) didn’t answer within ${patienceMs / 1_000} s.`;
}

/**
 * Looks at a contract.
 * @returns a sentence that says why that isn't possible now
 */
export async function contractFactsOf(
  source: Source,
  question: ContractQuestion,
  variable: Variable,
): Promise<ContractFacts | string> {
  return await withSource(source, variable, async (chain, signal) => {
    return (await chain.inspect?.(question, signal)) ?? 'There are no contracts to look at.';
  });
}

/**
 * The newest events of a rule, the newest first.
 * @returns a sentence that says why they can't be had now
 */
export async function newestEventsOf(
  source: Source,
  rule: ScoringRule,
  variable: Variable,
): Promise<readonly SourceEvent[] | string> {
  return await withSource(source, variable, async (chain, signal) => {
    const found: SourceEvent[] = [];
    for (const input of inputsOf(rule))
      found.push(...((await chain.newestEvents?.(input, signal)) ?? []));
    return found;
  });
}

/** Tells in sentences how the newest logs of each rule's contracts fit it. */
export async function reportSamples(
  source: Source,
  rules: readonly ScoringRule[],
  variable: Variable,
  print: (words: string) => void,
): Promise<void> {
  const refusal = await withSource(source, variable, async (chain, signal) => {
    for (const rule of rules) {
      for (const input of inputsOf(rule)) {
        const sample = await chain.sample?.(input, signal);
        if (sample !== undefined) print(`Rule ${rule.id}: ${wordsOf(source, sample)}`);
      }
    }
  });
  if (refusal !== undefined) {
    print(`The newest logs of ${source.id} can't be looked at now: ${refusal}`);
  }
}

function wordsOf({ chain }: Source, sample: ContractSample): string {
  const { contract, hasCode, proxy, from, to, logs, fit, hint, balances } = sample;
  if (!hasCode) return `${contract} has no code on ${chain}. Is it the contract's address there?`;
  const fitWords =
    logs === 0
      ? `${contract} has logged no such event in blocks ${from} to ${to}.`
      : `${fit} of its newest ${logs} logs fit${hint === undefined ? '.' : `: ${hint}`}`;
  return [fitWords, proxy, balances].filter((each) => each !== undefined).join(' ');
}

/**
 * What a token of a source says of itself now.
 * @param token a contract's address, or an asset's id
 * @param symbol the one that it should have; undefined for any
 * @returns undefined if there's no such token; a sentence that says why it can't be asked
 */
export async function tokenUnit(
  source: Source,
  token: string,
  symbol: string | undefined,
  variable: Variable,
): Promise<TokenUnit | string | undefined> {
  return await withSource(source, variable, async (chain, signal) => {
    return await chain.tokenUnit?.(token, symbol, signal);
  });
}

/** How long to read for the estimate, and how long all of it may take. */
const MEASURED_MS = 3_000;
const WHOLE_MS = 30_000;

/** How long the first reading of a source will take, extrapolated from a few seconds of it. */
export interface ReadingEstimate {
  readonly from: number;
  readonly end: number;
  /** Heights per second; undefined if there's nothing to read. */
  readonly perSecond: number | undefined;
  readonly seconds: number;
  readonly nodes: readonly NodeStatus[];
}

/**
 * Reads for a few seconds from the start, keeps nothing, and extrapolates.
 * @returns a sentence that says why, if there's no estimate now
 */
export async function estimateReading(
  source: Source,
  inputs: readonly SourceInput[],
  variable: Variable,
): Promise<ReadingEstimate | string> {
  const paces = new HostPaces();
  let chain: ChainSource | undefined;
  try {
    chain = await openSource(source, variable, paces);
    return await measure(chain, inputs, AbortSignal.timeout(WHOLE_MS));
  } catch (error) {
    const isKnown = error instanceof RetryableError || error instanceof SourceStopped;
    if (!isKnown && !(error instanceof DOMException)) throw error;
    if (isKnown) return messageOf(error);
    const faults = (chain?.nodes() ?? []).flatMap(({ lastFault }) => lastFault ?? []);
    return faults.length === 0
      ? tooLong(source, WHOLE_MS)
      : `Nothing was read in ${WHOLE_MS / 1_000} s. ${[...new Set(faults)].join(' ')}`;
  } finally {
    await chain?.close();
    paces.close();
  }
}

async function measure(
  chain: ChainSource,
  inputs: readonly SourceInput[],
  signal: AbortSignal,
): Promise<ReadingEstimate> {
  const { height: end } = await chain.end(signal);
  const starts = new Starts(chain);
  const begun: SourcePosition[] = [];
  for (const { since } of inputs) begun.push(await starts.of(since, signal));
  let at = begun.toSorted((one, other) => one.height - other.height)[0];
  const from = at?.height ?? end;
  const read: [ms: number, height: number][] = [[performance.now(), from]];
  const until = performance.now() + MEASURED_MS;
  while (at !== undefined && at.height < end && performance.now() < until) {
    ({ end: at } = await chain.read({ inputs, from: at, upTo: end, signal }));
    read.push([performance.now(), at.height]);
  }
  const perSecond = paceOf(read);
  const seconds = perSecond === undefined ? 0 : (end - from) / perSecond;
  return { from: from + 1, end, perSecond, seconds, nodes: chain.nodes() };
}

/** Measured on the second half: in the first, the reader still finds out how much a node returns at once. */
function paceOf(read: readonly (readonly [ms: number, height: number])[]): number | undefined {
  const last = read.at(-1);
  const [first, ...others] = read.slice(0, -1);
  if (last === undefined || first === undefined) return undefined;
  const half = (first[0] + last[0]) / 2;
  const [ms, height] = others.findLast(([at]) => at <= half) ?? first;
  return ((last[1] - height) * 1_000) / Math.max(1, last[0] - ms);
}

/** How long to wait for a node's height. */
const HEIGHT_PATIENCE_MS = 15_000;

/** The result of asking one node on its own. */
export interface ProbedNode {
  /** The environment variable that names it. */
  readonly variable: string;
  /** Host and port: the only part of its URL that is ever shown. */
  readonly host: string | undefined;
  /** The newest final position; undefined if the node can't be used, for the reason in `words`. */
  readonly end: SourcePosition | undefined;
  readonly words: string | undefined;
}

/** Asks each node of a source for its height. */
export async function probeNodes(
  source: Source,
  variable: (name: string) => string | undefined,
): Promise<readonly ProbedNode[]> {
  const paces = new HostPaces();
  try {
    return await Promise.all(
      source.variables.map((name) =>
        probe({ ...source, variables: [name] }, name, variable, paces),
      ),
    );
  } finally {
    paces.close();
  }
}

async function probe(
  source: Source,
  name: string,
  variable: (name: string) => string | undefined,
  paces: HostPaces,
): Promise<ProbedNode> {
  let host: string | undefined;
  try {
    const chain = await openSource(source, variable, paces);
    try {
      host = chain.nodes()[0]?.host;
      const end = await chain.end(AbortSignal.timeout(HEIGHT_PATIENCE_MS));
      return { variable: name, host, end, words: undefined };
    } finally {
      await chain.close();
    }
  } catch (error) {
    const isKnown = error instanceof RetryableError || error instanceof SourceStopped;
    if (!isKnown && !(error instanceof DOMException)) throw error;
    const words = isKnown ? messageOf(error) : 'takes too long to answer';
    return { variable: name, host, end: undefined, words };
  }
}

/** A source, by the variables that name its nodes. */
type Named = Pick<Source, 'id' | 'variables'>;
/** Returns the value of an environment variable. */
type ValueOf = (name: string) => string | undefined;

/** How many nodes a source's variables name. */
export function countNodes(source: Named, variable: ValueOf): number {
  return namesByUrl(source, variable).length;
}

/**
 * Finds two variables of a source with the same URL: that node would only confirm itself.
 * @returns a sentence for operators, without the URL; undefined if all differ
 */
export function repeatedNode(source: Named, variable: ValueOf): string | undefined {
  const [first, second] = namesByUrl(source, variable).find(({ length }) => length > 1) ?? [];
  if (first === undefined) return undefined;
  return `${first} and ${second} are the same node of ${source.id}, so what it leaves out can't be noticed. Name one of another provider.`;
}

function namesByUrl({ variables }: Named, variable: ValueOf): readonly (readonly string[])[] {
  const urlOf = (name: string) => URL.parse(variable(name)?.trim() ?? '')?.href ?? name;
  return [...Map.groupBy(variables, urlOf).values()];
}
