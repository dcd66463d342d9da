import { inputsOf, type ScoringRule, type Source, type SourceEvent } from '#scoring';
import type { ContractSample } from '#sources/evm/contract/sample-contract';
import type { ContractFacts, ContractQuestion } from '#sources/evm/inspect/inspect-contract';
import type { TokenUnit } from '#sources/source';
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

/** Tells in sentences how the newest logs of each rule's contracts fit it. */
export async function reportSamples(
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

/**
 * What a token of a source says of itself now.
 * @param token a contract's address, or an asset's id
 * @param symbol the one that it should have; undefined for any
 * @returns undefined if there's no such token; a sentence that says why it can't be asked
 */
export async function tokenUnit(
  source: Source,
  token: string,
  symbol: string | undefined,
  variable: Variable,
): Promise<TokenUnit | string | undefined> {
  return await withSource(source, variable, async (chain, signal) => {
    return await chain.tokenUnit?.(token, symbol, signal);
  });
}
