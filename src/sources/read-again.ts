import { RetryableError, UserError } from '#base';
import type { SourceEvent, SourceInput, SourcePosition } from '#scoring';
import { nextRangeOf } from './reading/progress.ts';
import type { ChainSource } from './source.ts';

/** The heights after `from`, up to and including `to`. */
interface HeightRange {
  readonly from: number;
  readonly to: number;
}

/** The most ranges in a sample, spread evenly over the whole. */
const RANGES = 20;

/**
 * Random ranges, in order, that make up a share of the whole.
 * @param share above 0, up to 1
 * @param random returns a number from 0 up to, but not including, 1
 */
export function sampleRanges(
  whole: HeightRange,
  share: number,
  random: () => number,
): HeightRange[] {
  const heights = whole.to - whole.from;
  if (heights <= 0) return [];
  const taken = Math.min(heights, Math.max(1, Math.ceil(heights * share)));
  const count = Math.min(RANGES, taken);
  return Array.from({ length: count }, (_, slot) => {
    const start = whole.from + Math.floor((heights * slot) / count);
    const end = whole.from + Math.floor((heights * (slot + 1)) / count);
    const length = Math.min(end - start, Math.ceil(taken / count));
    const from = start + Math.floor(random() * (end - start - length + 1));
    return { from, to: from + length };
  });
}

/** The maximum number of events to hold, a few hundred bytes each. */
const EVENTS_MAX = 500_000;

export interface ReadAgainOptions {
  readonly id: string;
  readonly chain: ChainSource;
  readonly inputs: readonly SourceInput[];
  /** Where the earlier reading ended. */
  readonly end: SourcePosition;
  /** Above 0, up to 1. */
  readonly share: number;
  /** Returns a number from 0 up to, but not including, 1. */
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Called with how many of the heights have been read. */
  readonly onProgress: (progress: { readonly done: number; readonly all: number }) => void;
}

/** What a source has in some random ranges. */
export interface ReadAgain {
  readonly ranges: readonly HeightRange[];
  readonly events: readonly (SourceEvent & { readonly name: string })[];
  /** Whether the last block of the earlier reading has a different hash now. */
  readonly isOtherChain: boolean;
}

/**
 * Reads a random share of a source again, up to where it was read before.
 * @throws RetryableError or SourceStopped if the nodes can't tell; UserError `wrong-usage` if the share has
 * too many events
 */
export async function readAgain(options: ReadAgainOptions): Promise<ReadAgain> {
  const { id, chain, inputs, end, share, random, signal, onProgress } = options;
  const head = await chain.end(signal);
  if (head.height < end.height) {
    throw new RetryableError(`${id} is at ${head.height} by its nodes, behind ${end.height}.`);
  }
  const positionAt = async (height: number): Promise<SourcePosition> =>
    height === head.height
      ? head
      : await chain.begin({ kind: 'height', height: BigInt(height + 1) }, signal);
  const last = await positionAt(end.height);
  if (end.hash !== null && last.hash !== end.hash) {
    return { ranges: [], events: [], isOtherChain: true };
  }
  const begun: { input: SourceInput; position: SourcePosition }[] = [];
  for (const input of inputs) {
    begun.push({ input, position: await chain.begin(input.since, signal) });
  }
  const from = Math.min(...begun.map(({ position }) => position.height));
  const sampled = sampleRanges({ from, to: end.height }, share, random);
  const all = sampled.reduce((sum, range) => sum + range.to - range.from, 0);
  const ranges: HeightRange[] = [];
  const events: (SourceEvent & { readonly name: string })[] = [];
  let done = 0;
  for (const range of sampled) {
    // Some slots have no block, so a range starts and ends with the last block before.
    const first = await positionAt(range.from);
    const upTo = (await positionAt(range.to)).height;
    let states = begun.map(({ input: { name }, position }) => ({
      ...{ source: id, name, verdict: undefined, events: 0, leftOut: 0 },
      position: position.height > first.height ? position : first,
    }));
    for (;;) {
      const lane = nextRangeOf(states, () => true, upTo);
      if (lane === undefined) break;
      const own = begun.flatMap(({ input }) =>
        lane.inputs.some(({ name }) => name === input.name) ? [input] : [],
      );
      const read = await chain.read({ inputs: own, from: lane.from, upTo: lane.upTo, signal });
      events.push(
        ...read.events.map((event) => ({ ...event, name: own[event.input]?.name ?? '' })),
      );
      if (events.length > EVENTS_MAX) {
        throw new UserError(
          'wrong-usage',
          `The share of ${id} has more than ${EVENTS_MAX} events. Choose a smaller share.`,
        );
      }
      const names = new Set(own.map(({ name }) => name));
      states = states.map((each) =>
        names.has(each.name) ? { ...each, position: read.end } : each,
      );
    }
    if (upTo > first.height) ranges.push({ from: first.height, to: upTo });
    done += range.to - range.from;
    onProgress({ done, all });
  }
  return { ranges, events, isOtherChain: false };
}
