import { RetryableError } from '#core/errors';
import type { SourceMemory } from '#core/gating/store';
import type { UnknownReason } from '#core/gating/verdict';
import type { ReputationSource } from '#core/ports';
import type { WalletParser } from '#core/wallet';

/** Wallets of the top that are asked about by themselves. */
const CONTROLS = 5;
/** A source that knows fewer wallets than this part of those of before has lost its data. */
const LEAST_SHARE = 0.5;

/**
 * Whether a source says what can be: a source that answers zeros for everybody, or has lost half of
 * its wallets, is broken, however fresh and complete its answers are. The first of the leaderboard are
 * asked about one by one and must have the scores that it shows.
 * @param before what it showed when it was last believed
 * @returns why it can't be believed, or what it shows now
 */
export async function checkPlausible(
  source: ReputationSource,
  wallets: WalletParser,
  before: SourceMemory | undefined,
): Promise<{ readonly doubt: UnknownReason } | SourceMemory> {
  const reading = source.reading('background');
  try {
    const { totalUsers, averageScore } = await reading.stats();
    const top = await reading.leaderboard({ chain: 'all', limit: CONTROLS, offset: 0 });
    const lost = totalUsers < (before?.totalUsers ?? 0) * LEAST_SHARE;
    const [first] = top.leaderboard;
    const empty = first === undefined || first.score <= 0 || averageScore <= 0;
    if (lost || empty || top.total !== totalUsers) return { doubt: 'implausible' };
    for (const { address, score, rank } of top.leaderboard) {
      const record = await reading.reputation(wallets.parse(address));
      // Data may be added in between, so a little more is no contradiction.
      if (
        record === undefined ||
        (record.score === 0 && score > 0) ||
        record.rank > rank + CONTROLS
      ) {
        return { doubt: 'implausible' };
      }
    }
    return reading.isStale ? { doubt: 'stale' } : { totalUsers };
  } catch (error) {
    if (error instanceof RetryableError) return { doubt: 'unavailable' };
    throw error;
  }
}
