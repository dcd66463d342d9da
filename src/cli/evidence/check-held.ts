import type { SourceInput } from '#scoring';
import { type HeldBalance, ProofFault } from '#scoring/proof';
import { balancesAt, type ChainSource, sourcePositionAt } from '#sources';

/**
 * Compares what a file says that addresses held when days ended with what the chain says.
 * @param held of this source alone
 * @throws ProofFault with the first difference; RetryableError if no node can tell
 */
export async function checkHeld(
  chain: Pick<ChainSource, 'begin' | 'balancesOf'>,
  inputs: readonly SourceInput[],
  held: readonly HeldBalance[],
  signal: AbortSignal,
): Promise<void> {
  for (const [name, own] of Map.groupBy(held, ({ input }) => input)) {
    const input = inputs.find((each) => each.name === name);
    if (input === undefined) continue;
    for (const [height, all] of Map.groupBy(own, (each) => each.height)) {
      const at = await sourcePositionAt(chain, height, signal);
      const addresses = all.map(({ address }) => address);
      const told = await balancesAt(chain, input, addresses, { at, signal });
      for (const [place, { address, source, balance, number }] of all.entries()) {
        if (told?.[place] === balance) continue;
        const words = `${address} held ${told?.[place] ?? 'nothing'} at ${source} ${height} by the chain, but the file says ${balance}.`;
        throw new ProofFault(words, number);
      }
    }
  }
}
