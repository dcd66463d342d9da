import { RetryableError } from '#base';
import { inputsOf, type ScoringRule, type Source, type SourceEvent } from '#scoring';
import type { ContractFacts, ContractQuestion } from '#sources/evm/inspect/inspect-contract';
import { HostPaces } from '#sources/host-pace';
import { openSource } from '#sources/open-source';
import { type ChainSource, SourceStopped } from '#sources/source';
import { tooLong } from './too-long.ts';

const PATIENCE_MS = 20_000;

/** The value of an environment variable. */
type Variable = (name: string) => string | undefined;

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

async function withSource<T>(
  source: Source,
  variable: Variable,
  work: (chain: ChainSource, signal: AbortSignal) => Promise<T>,
): Promise<T | string> {
  const paces = new HostPaces();
  const signal = AbortSignal.timeout(PATIENCE_MS);
  let chain: ChainSource | undefined;
  try {
    chain = await openSource(source, variable, paces);
    return await work(chain, signal);
  } catch (error) {
    if (error instanceof RetryableError || error instanceof SourceStopped) return error.message;
    if (!signal.aborted) throw error;
    return tooLong(source, PATIENCE_MS);
  } finally {
    await chain?.close();
    paces.close();
  }
}
