import { UserError } from '#base';
import type { RuleSet } from '#scoring';
import { type Candidate, keptCandidate, readCandidate } from '#scoring/rules-file';
import type { Store } from '#storage';
import { createWalletParser } from '#wallet';
import { chains } from '#wallet/chains';

/**
 * The rules whose sources a service reads: the live ones, and those of the file.
 * @param onFault called if the file is invalid
 */
export async function ruleSets(
  { scoring }: Pick<Store, 'scoring'>,
  path: string | undefined,
  onFault: (message: string) => void,
): Promise<readonly RuleSet[]> {
  const wallets = createWalletParser(chains);
  const live = await scoring.live();
  const kept = live && (await scoring.rules(live.number));
  const candidates: Candidate[] = kept === undefined ? [] : [keptCandidate(kept, wallets)];
  if (path !== undefined) {
    try {
      candidates.push(readCandidate(path, wallets));
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      onFault(error.message);
    }
  }
  return candidates.map(({ evaluation }) => evaluation.rules);
}
