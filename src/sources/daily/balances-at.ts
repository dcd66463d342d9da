import type { SourceInput } from '#scoring';
import type { BalanceQuestion, ChainSource } from '#sources/source';

/** Balances per request. */
const AT_ONCE = 100;

/**
 * Any number of balances.
 * @returns undefined if the contract tells none
 * @throws RetryableError if no node can tell right now
 */
export async function balancesAt(
  chain: Pick<ChainSource, 'balancesOf'>,
  input: SourceInput,
  addresses: readonly string[],
  { at, isThere = false, signal }: Pick<BalanceQuestion, 'at' | 'isThere' | 'signal'>,
): Promise<readonly bigint[] | undefined> {
  const all: bigint[] = [];
  for (let from = 0; from < addresses.length; from += AT_ONCE) {
    signal.throwIfAborted();
    const part = addresses.slice(from, from + AT_ONCE);
    const told = await chain.balancesOf({ input, addresses: part, at, isThere, signal });
    if (told === undefined) return undefined;
    all.push(...told);
  }
  return all;
}
