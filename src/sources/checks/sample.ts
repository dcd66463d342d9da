import { inputsOf, type ScoringRule, type Source } from '#scoring';
import type { ContractSample } from '#sources/evm/contract/sample-contract';
import { type Variable, withSource } from './with-source.ts';

/** Tells in sentences how the newest logs of each rule's contracts fit it. */
export async function tellSamples(
  source: Source,
  rules: readonly ScoringRule[],
  variable: Variable,
  tell: (words: string) => void,
): Promise<void> {
  const refusal = await withSource(source, variable, async (chain, signal) => {
    for (const rule of rules) {
      for (const input of inputsOf(rule)) {
        const sample = await chain.sample?.(input, signal);
        if (sample !== undefined) tell(`Rule ${rule.id}: ${wordsOf(source, sample)}`);
      }
    }
  });
  if (refusal !== undefined) {
    tell(`The newest logs of ${source.id} can't be looked at now: ${refusal}`);
  }
}

function wordsOf({ chain }: Source, sample: ContractSample): string {
  const { contract, hasCode, proxy, from, to, logs, fit, hint, balances } = sample;
  if (!hasCode) return `${contract} has no code on ${chain}. Is it the contract's address there?`;
  const told =
    logs === 0
      ? `${contract} has logged no such event in blocks ${from} to ${to}.`
      : `${fit} of its newest ${logs} logs fit${hint === undefined ? '.' : `: ${hint}`}`;
  return [told, proxy, balances].filter((each) => each !== undefined).join(' ');
}
