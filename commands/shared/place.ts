import type { Chain } from '#core/chain';
import type { Reading } from '#core/ports';
import type { LeaderboardEntry, Reputation } from '#core/records';

/** Entries looked at in one go: more cost a source little, and spare questions to a remote one. */
const LOOK = 100;

/** Where a wallet stands in a leaderboard: entries before it, and its own. */
export interface LeaderboardPlace {
  readonly offset: number;
  readonly entry: LeaderboardEntry;
}

/**
 * Finds a wallet in a leaderboard, among any number of wallets with its score: a search by halves
 * over (score, address), which begins where its rank says.
 * @returns undefined if the data changed meanwhile so that it can't be found
 */
export async function placeIn(
  source: Reading,
  chain: Chain | 'all',
  record: Reputation,
): Promise<LeaderboardPlace | undefined> {
  let low = chain === 'all' ? record.rank - 1 : 0;
  let high = record.totalUsers;
  // Among all the rank is the place, but for equal scores; on a chain nobody stands lower than that.
  let from = chain === 'all' ? low : Math.floor((record.rank - 1) / 2);
  while (low < high) {
    const { leaderboard } = await source.leaderboard({ chain, limit: LOOK, offset: from });
    const index = leaderboard.findIndex((entry) => entry.address === record.address);
    const entry = leaderboard[index];
    if (entry !== undefined) return { offset: from + index, entry };
    const last = leaderboard.at(-1);
    if (last !== undefined && isBefore(last, record)) low = from + leaderboard.length;
    else high = from;
    from = Math.max(low, Math.floor((low + high - LOOK) / 2));
  }
  return undefined;
}

function isBefore(entry: LeaderboardEntry, record: Reputation): boolean {
  return entry.score === record.score ? entry.address < record.address : entry.score > record.score;
}
