import { RetryableError } from '#base';
import type { Source } from '#scoring';
import { HostPaces } from '#sources/host-pace';
import { openSource } from '#sources/open-source';
import { type ChainSource, SourceStopped } from '#sources/source';

const PATIENCE_MS = 20_000;

/** The value of an environment variable. */
export type Variable = (name: string) => string | undefined;

/**
 * Asks a source something and closes it.
 * @returns what `work` does, or a sentence that says why the source can't be asked now
 */
export async function withSource<T>(
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

/** Says which nodes haven't answered, and for how long they were waited for. */
export function tooLong({ id, variables }: Source, patienceMs: number): string {
  const names = variables.join(' and ');
  return `The ${variables.length === 1 ? 'node' : 'nodes'} of ${id} (${names}) didn’t answer within ${patienceMs / 1_000} s.`;
}
