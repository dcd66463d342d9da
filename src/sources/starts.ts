import { DAY_SECONDS, RetryableError } from '#base';
import type { SourcePosition, Start } from '#scoring';
import type { ChainSource } from './source.ts';

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
    const key = since.kind === 'day' ? `day ${since.day}` : String(since.height);
    const found = this.#found.get(key) ?? (await this.#chain.begin(since, signal));
    this.#found.set(key, found);
    return found;
  }

  /** Forgets what was found, once it's stored. */
  clear(): void {
    this.#found.clear();
  }
}

/** @throws RetryableError with this message if the chain hasn't reached the start yet */
export function requireReached(since: Start, head: SourcePosition, words: string): void {
  const isAhead =
    since.kind === 'day' ? head.time < since.day * DAY_SECONDS : head.height < since.height;
  if (isAhead) throw new RetryableError(words);
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
