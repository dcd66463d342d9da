import type { Source } from '#scoring';
import type { TokenUnit } from '#sources/source';
import { type Variable, withSource } from './with-source.ts';

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
