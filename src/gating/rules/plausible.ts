import { RetryableError } from '#base';
import type { UnknownReason } from '#gating/decide/verdict';
import type { SourceMemory } from '#gating/store';
import type { Reading } from '#reputation';
import type { WalletParser } from '#wallet';
import type { Implausible } from './implausible.ts';

/** Wallets of the leaderboard's top that are checked one by one. */
const CONTROLS = 5;
/** A source that knows less than this share of its former wallets has lost data. */
const LEAST_SHARE = 0.5;

/** Whether a source is plausible, and if not, why. */
export type Plausibility =
  | { readonly totalUsers: number; readonly areZerosAccepted?: boolean }
  | { readonly doubt: 'implausible'; readonly shows: Implausible }
  | { readonly doubt: Exclude<UnknownReason, 'implausible'> };

/**
 * Checks a source's plausibility: one that returns zeros for everybody, or has lost half of its
 * wallets, is broken, however fresh and complete its answers are. The top of the leaderboard is
 * checked one by one and must have the scores that it shows.
 * @param before what it showed when it was last plausible
 */
export async function checkPlausible(
  reading: Reading,
  wallets: WalletParser,
  before: SourceMemory | undefined,
): Promise<Plausibility> {
  try {
    const { totalUsers, averageScore } = await reading.stats();
    const top = await reading.leaderboard({ chain: 'all', limit: CONTROLS, offset: 0 });
    const [first] = top.leaderboard;
    const areZeros = first === undefined || first.score <= 0 || averageScore <= 0;
    const isAccepted = before?.areZerosAccepted === true;
    if (areZeros && !isAccepted) return implausible({ kind: 'zeros', now: totalUsers });
    if (isFarFewer(totalUsers, before?.totalUsers ?? 0)) {
      return implausible({ kind: 'lost', before: before?.totalUsers ?? 0, now: totalUsers });
    }
    // A commit between two answers changes a few figures; it doesn't remove half of them.
    if (isFarFewer(totalUsers, top.total) || isFarFewer(top.total, totalUsers)) {
      return implausible({ kind: 'contradiction' });
    }
    for (const { address, score, rank } of top.leaderboard) {
      const record = await reading.reputation(wallets.parse(address));
      if (
        record === undefined ||
        (record.score === 0 && score > 0) ||
        record.rank > rank + CONTROLS
      ) {
        return implausible({ kind: 'contradiction' });
      }
    }
    if (reading.isStale) return { doubt: 'stale' };
    return { totalUsers, ...(areZeros && { areZerosAccepted: true }) };
  } catch (error) {
    if (error instanceof RetryableError) return { doubt: 'unavailable' };
    throw error;
  }
}

function implausible(shows: Implausible): Plausibility {
  return { doubt: 'implausible', shows };
}

/** Whether so few are left that most must have been lost. */
export function isFarFewer(now: number, before: number): boolean {
  return now < before * LEAST_SHARE;
}
