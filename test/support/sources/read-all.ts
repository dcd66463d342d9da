import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { inputsOf, type SourceInput } from '#scoring/inputs/input';
import type { SourceEvent, SourcePosition } from '#scoring/inputs/store';
import type { ScoringRule } from '#scoring/model';
import type { ChainSource } from '#sources/source';

export const FOREVER = new AbortController().signal;

/** The rules' inputs, each once. */
export function inputsFor(rules: readonly ScoringRule[]): SourceInput[] {
  return [...new Map(rules.flatMap(inputsOf).map((each) => [each.name, each])).values()];
}

/** Reads a source from an input's start to its end, stretch by stretch, as the service does. */
export async function readAll(
  chain: ChainSource,
  inputs: readonly SourceInput[],
  retries = 0,
): Promise<{ events: SourceEvent[]; end: SourcePosition; stretches: number }> {
  const [first] = inputs;
  if (first === undefined) throw new Error('nothing to read');
  let left = retries;
  const patient = async <T>(work: () => Promise<T>): Promise<T> => {
    while (true) {
      try {
        return await work();
      } catch (error) {
        if (left === 0 || !(error instanceof Error) || error.name !== 'RetryableError') throw error;
        left -= 1;
        // Nodes rest after a failure.
        await sleep(10);
      }
    }
  };
  const end = await patient(() => chain.end(FOREVER));
  let from = await patient(() => chain.begin(first.since, FOREVER));
  const events: SourceEvent[] = [];
  let stretches = 0;
  while (from.height < end.height) {
    const at = from;
    const read = await patient(() =>
      chain.read({ inputs, from: at, upTo: end.height, signal: FOREVER }),
    );
    expect(read.end.height).toBeGreaterThan(from.height);
    expect(read.end.height).toBeLessThanOrEqual(end.height);
    for (const { height } of read.events) {
      expect(height).toBeGreaterThan(from.height);
      expect(height).toBeLessThanOrEqual(read.end.height);
    }
    events.push(...read.events);
    from = read.end;
    stretches += 1;
  }
  const sorted = events.toSorted(
    (a, b) => a.height - b.height || (a.place < b.place ? -1 : a.place > b.place ? 1 : 0),
  );
  expect(events.map(placeOf)).toEqual(sorted.map(placeOf));
  return { events, end, stretches };
}

function placeOf({ height, place }: SourceEvent): string {
  return `${height} ${place}`;
}

/** Events in the form that tests compare. */
export function told(events: readonly SourceEvent[]): unknown[] {
  return events.map(({ input, wallet, args, height }) => ({
    input,
    wallet: wallet.address,
    height,
    args: JSON.parse(args) as unknown,
  }));
}
