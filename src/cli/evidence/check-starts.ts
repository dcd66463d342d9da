import type { SourceInput } from '#scoring';
import { ProofFault, type SampleCheck } from '#scoring/proof';
import type { ChainSource } from '#sources';

/** Balances per request. */
const AT_ONCE = 100;

/**
 * Compares what a file says that addresses held before the first block that was read with what the chain says.
 * @param starts of this source alone
 * @throws ProofFault with the first difference; RetryableError if no node can tell
 */
export async function checkStarts(
  chain: Pick<ChainSource, 'begin' | 'balancesOf'>,
  inputs: readonly SourceInput[],
  starts: SampleCheck['starts'],
  signal: AbortSignal,
): Promise<void> {
  for (const [name, all] of Map.groupBy(starts, ({ line }) => line.input)) {
    const input = inputs.find((each) => each.name === name);
    const [first] = all;
    if (input?.kind !== 'hold' || first === undefined) continue;
    const isAllowed = 'by' in input.holding && input.holding.by === 'events';
    const at = await chain.begin(input.since, signal);
    for (const { line, number } of all) {
      if (isAllowed && line.height === at.height && line.time === at.time) continue;
      throw new ProofFault(`${line.address} can't have held anything before ${name}.`, number);
    }
    for (let from = 0; from < all.length; from += AT_ONCE) {
      const part = all.slice(from, from + AT_ONCE);
      const addresses = part.map(({ line }) => line.address);
      const told = await chain.balancesOf({ input, addresses, at, signal });
      for (const [place, { line, number }] of part.entries()) {
        const balance = String(told?.[place] ?? 'nothing');
        if (balance === line.args.amount) continue;
        throw new ProofFault(
          `${line.address} held ${balance} at ${line.source} ${line.height} by the chain, but the file says ${line.args.amount}.`,
          number,
        );
      }
    }
  }
}
