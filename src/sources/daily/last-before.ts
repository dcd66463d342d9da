import { DAY_SECONDS, dayOf } from '#base';
import type { SourcePosition } from '#scoring';
import type { ChainSource } from '#sources/source';

/** The position at a height. */
export async function sourcePositionAt(
  chain: Pick<ChainSource, 'begin'>,
  height: number,
  signal: AbortSignal,
): Promise<SourcePosition> {
  return await chain.begin({ kind: 'height', height: BigInt(height + 1) }, signal);
}

/**
 * The last position before a time. Blocks come at a nearly even pace, so it guesses first, and halves what is left
 * where a guess was of no use.
 * @param low before that time
 * @param high not before it
 */
export async function lastBefore(
  chain: Pick<ChainSource, 'begin'>,
  time: number,
  { low, high }: { readonly low: SourcePosition; readonly high: SourcePosition },
  signal: AbortSignal,
): Promise<SourcePosition> {
  let [before, after] = [low, high];
  let isGuess = true;
  for (;;) {
    const left = after.height - before.height;
    if (left <= 1) return before;
    const share = (time - before.time) / (after.time - before.time);
    const step = isGuess ? Math.round(left * share) : Math.floor(left / 2);
    const at = before.height + Math.min(left - 1, Math.max(1, step));
    const position = await sourcePositionAt(chain, at, signal);
    if (position.time < time) before = position;
    else after = position;
    isGuess = !isGuess || (after.height - before.height) * 2 <= left;
  }
}

/** The last position of each day, between two positions; one after `high` would show that it's the last. */
export async function* dayEnds(
  chain: Pick<ChainSource, 'begin'>,
  { low, high }: { readonly low: SourcePosition; readonly high: SourcePosition },
  signal: AbortSignal,
): AsyncGenerator<SourcePosition> {
  let at = low;
  while (at.height < high.height) {
    const { time } = await sourcePositionAt(chain, at.height + 1, signal);
    const midnight = (dayOf(time) + 1) * DAY_SECONDS;
    if (high.time < midnight) return;
    at = await lastBefore(chain, midnight, { low: at, high }, signal);
    yield at;
  }
}
