import { RetryableError } from '#base';
import { inputsOf, type ScoringRule, type Source } from '#scoring';
import type { ContractSample } from '#sources/evm/contract/sample-contract';
import { HostPaces } from '#sources/host-pace';
import { NodeFault } from '#sources/node/fault';
import { openSource } from '#sources/open-source';
import { tooLong } from './too-long.ts';

/** For all rules of a source. */
const PATIENCE_MS = 20_000;

/** Sentences about how the newest logs of each rule's contracts fit it. */
export async function* sampleWords(
  source: Source,
  rules: readonly ScoringRule[],
  variable: (name: string) => string | undefined,
): AsyncGenerator<string> {
  const paces = new HostPaces();
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const chain = await openSource(source, variable, paces);
  try {
    for (const rule of rules) {
      for (const input of inputsOf(rule)) {
        const sample = await chain.sample?.(input, signal);
        if (sample !== undefined) yield `Rule ${rule.id}: ${wordsOf(source, sample)}`;
      }
    }
  } catch (error) {
    const isKnown = error instanceof RetryableError || error instanceof NodeFault;
    if (!isKnown && !signal.aborted) throw error;
    yield `The newest logs of ${source.id} can't be looked at now: ${isKnown ? error.message : tooLong(source, PATIENCE_MS)}`;
  } finally {
    await chain.close();
    paces.close();
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
