import { DAY_SECONDS, formatTime, RetryableError } from '#base';
import type { SourceInput, SourcePosition, Start } from '#scoring';
import type { ChainSource } from './source.ts';

export interface Begun {
  readonly positions: readonly { readonly name: string; readonly position: SourcePosition }[];
  readonly faults: ReadonlyMap<string, RetryableError>;
}

/**
 * Where inputs begin. A day is searched for in some thirty requests, so each start is looked up once, however many
 * inputs share it, and what was found outlives a failure.
 */
export class Starts {
  readonly #chain: Pick<ChainSource, 'begin'>;
  readonly #found = new Map<string, SourcePosition>();

  constructor(chain: Pick<ChainSource, 'begin'>) {
    this.#chain = chain;
  }

  /** The position just before a start. @throws RetryableError */
  async of(since: Start, signal: AbortSignal): Promise<SourcePosition> {
    const key = keyOf(since);
    const found = this.#found.get(key) ?? (await this.#chain.begin(since, signal));
    this.#found.set(key, found);
    return found;
  }

  /** Of several, each by its name: the positions before their starts, and why those of others aren't known. */
  async ofAll(inputs: readonly SourceInput[], signal: AbortSignal): Promise<Begun> {
    const positions: { name: string; position: SourcePosition }[] = [];
    const faults = new Map<string, RetryableError>();
    const byStart = new Map<string, RetryableError>();
    for (const { name, since } of inputs) {
      let fault = byStart.get(keyOf(since));
      try {
        if (fault === undefined) positions.push({ name, position: await this.of(since, signal) });
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof RetryableError)) throw error;
        fault = error;
        byStart.set(keyOf(since), error);
      }
      if (fault !== undefined) faults.set(name, fault);
    }
    return { positions, faults };
  }

  /** Forgets what was found, once it's stored. */
  clear(): void {
    this.#found.clear();
  }
}

function keyOf(since: Start): string {
  return since.kind === 'day' ? `day ${since.day}` : String(since.height);
}

/**
 * @param source its id
 * @param unit what its heights count
 * @throws RetryableError if the chain hasn't reached the start yet
 */
export function requireReached(
  since: Start,
  head: SourcePosition,
  source: string,
  unit: string,
): void {
  const day = since.kind === 'day' ? since.day * DAY_SECONDS : undefined;
  const isAhead = since.kind === 'height' ? head.height < since.height : head.time < (day ?? 0);
  if (!isAhead) return;
  const start = since.kind === 'height' ? `${unit} ${since.height}` : formatTime(day ?? 0);
  throw new RetryableError(
    `The "since" of a rule is ${start}, which ${source} hasn't reached yet: it's at ${unit} ${head.height}.`,
  );
}

/**
 * The first height whose block isn't before a time, by binary search.
 * @param low a height known to be before it, or the lowest there is
 * @param high a height known not to be before it
 * @param timeOf seconds since 1970, never decreasing with the height
 */
export async function firstHeightAt(
  time: number,
  low: number,
  high: number,
  timeOf: (height: number) => Promise<number>,
): Promise<number> {
  let before = low;
  let after = high;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if ((await timeOf(middle)) < time) before = middle;
    else after = middle;
  }
  return after;
}
