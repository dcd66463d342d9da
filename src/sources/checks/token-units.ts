import { RetryableError } from '#base';
import type { Source } from '#scoring';
import { HostPaces } from '#sources/host-pace';
import { NodeFault } from '#sources/node/fault';
import { openSource } from '#sources/open-source';
import { SourceStopped, type TokenUnit } from '#sources/source';
import { tooLong } from './too-long.ts';

const PATIENCE_MS = 20_000;

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
  variable: (name: string) => string | undefined,
): Promise<TokenUnit | string | undefined> {
  const paces = new HostPaces();
  const signal = AbortSignal.timeout(PATIENCE_MS);
  let chain: Awaited<ReturnType<typeof openSource>> | undefined;
  try {
    chain = await openSource(source, variable, paces);
    return await chain.tokenUnit?.(token, symbol, signal);
  } catch (error) {
    const isKnown =
      error instanceof RetryableError ||
      error instanceof NodeFault ||
      error instanceof SourceStopped;
    if (isKnown) return error.message;
    if (!signal.aborted) throw error;
    return tooLong(source, PATIENCE_MS);
  } finally {
    await chain?.close();
    paces.close();
  }
}
