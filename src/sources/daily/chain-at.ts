import { DAY_SECONDS, dayOf } from '#base';
import type { SourceInput, SourcePosition } from '#scoring';
import type { BalanceQuestion, ChainSource } from '#sources/source';

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

/** Balances per request. */
const AT_ONCE = 100;

/**
 * Any number of balances; undefined for an address for which the contract doesn't answer, which says nothing of others.
 * @returns undefined if the contract tells none at all
 * @throws RetryableError if no node can tell right now
 */
export async function balancesAt(
  chain: Pick<ChainSource, 'balancesOf'>,
  input: SourceInput,
  addresses: readonly string[],
  { at, isThere = false, signal }: Pick<BalanceQuestion, 'at' | 'isThere' | 'signal'>,
): Promise<readonly (bigint | undefined)[] | undefined> {
  const all: (bigint | undefined)[] = [];
  const ask = (some: readonly string[]) =>
    chain.balancesOf({ input, addresses: some, at, isThere, signal });
  for (let from = 0; from < addresses.length; from += AT_ONCE) {
    signal.throwIfAborted();
    const part = addresses.slice(from, from + AT_ONCE);
    const balances = await ask(part);
    if (balances !== undefined) {
      all.push(...balances);
      continue;
    }
    for (const address of part) {
      const [balance] = (part.length > 1 ? await ask([address]) : undefined) ?? [];
      all.push(balance);
    }
    // It has answered for none so far, so it hardly answers at all.
    if (all.every((balance) => balance === undefined)) return undefined;
  }
  return all;
}
