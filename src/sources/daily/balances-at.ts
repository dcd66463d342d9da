import type { SourceInput } from '#scoring';
import type { BalanceQuestion, ChainSource } from '#sources/source';

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
    const told = await ask(part);
    if (told !== undefined) {
      all.push(...told);
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
