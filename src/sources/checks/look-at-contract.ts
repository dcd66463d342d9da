import { inputsOf, type ScoringRule, type Source, type SourceEvent } from '#scoring';
import type { ContractFacts, ContractQuestion } from '#sources/evm/inspect/inspect-contract';
import { type Variable, withSource } from './with-source.ts';

/**
 * Looks at a contract.
 * @returns a sentence that says why that isn't possible now
 */
export async function lookAtContract(
  source: Source,
  question: ContractQuestion,
  variable: Variable,
): Promise<ContractFacts | string> {
  return await withSource(source, variable, async (chain, signal) => {
    return (await chain.inspect?.(question, signal)) ?? 'There are no contracts to look at.';
  });
}

/**
 * The newest events of a rule, the newest first.
 * @returns a sentence that says why they can't be had now
 */
export async function newestEventsOf(
  source: Source,
  rule: ScoringRule,
  variable: Variable,
): Promise<readonly SourceEvent[] | string> {
  return await withSource(source, variable, async (chain, signal) => {
    const found: SourceEvent[] = [];
    for (const input of inputsOf(rule))
      found.push(...((await chain.newestEvents?.(input, signal)) ?? []));
    return found;
  });
}
