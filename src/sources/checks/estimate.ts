import { messageOf, RetryableError } from '#base';
import type { Source, SourceInput, SourcePosition } from '#scoring';
import { HostPaces } from '#sources/host-pace';
import { openSource } from '#sources/open-source';
import { type ChainSource, type NodeStatus, SourceStopped } from '#sources/source';
import { Starts } from '#sources/starts';
import { tooLong, type Variable } from './with-source.ts';

/** How long to read for the estimate, and how long all of it may take. */
const MEASURED_MS = 3_000;
const PATIENCE_MS = 30_000;

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
    return await measure(chain, inputs, AbortSignal.timeout(PATIENCE_MS));
  } catch (error) {
    const isKnown = error instanceof RetryableError || error instanceof SourceStopped;
    if (!isKnown && !(error instanceof DOMException)) throw error;
    if (isKnown) return messageOf(error);
    const faults = (chain?.nodes() ?? []).flatMap(({ lastFault }) => lastFault ?? []);
    return faults.length === 0
      ? tooLong(source, PATIENCE_MS)
      : `Nothing was read in ${PATIENCE_MS / 1_000} s. ${[...new Set(faults)].join(' ')}`;
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
