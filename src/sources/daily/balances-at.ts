import type { SourceInput, SourcePosition } from '#scoring';
import type { ChainSource } from '#sources/source';

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
  { at, signal }: { readonly at: SourcePosition; readonly signal: AbortSignal },
): Promise<readonly bigint[] | undefined> {
  const all: bigint[] = [];
  for (let from = 0; from < addresses.length; from += AT_ONCE) {
    signal.throwIfAborted();
    const part = addresses.slice(from, from + AT_ONCE);
    const told = await chain.balancesOf({ input, addresses: part, at, signal });
    if (told === undefined) return undefined;
    all.push(...told);
  }
  return all;
}
