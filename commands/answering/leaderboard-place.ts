import type { LeaderboardEntry, Reading, Reputation } from '#reputation';
import type { Chain } from '#wallet';

/** Entries per request: more cost a source little, and save requests to a remote one. */
const LOOK = 100;

/** A wallet's position in a leaderboard: the number of entries before it, and its own. */
export interface LeaderboardPlace {
  readonly offset: number;
  readonly entry: LeaderboardEntry;
}

/**
 * Finds a wallet in a leaderboard, among any number of equal scores: binary search by (score,
 * address), starting from its rank.
 * @returns undefined if it can't be found because the data changed meanwhile
 */
export async function placeIn(
  source: Reading,
  chain: Chain | 'all',
  record: Reputation,
): Promise<LeaderboardPlace | undefined> {
  let low = chain === 'all' ? record.rank - 1 : 0;
  let high = record.totalUsers;
  // Among all wallets the rank is the position, apart from equal scores; on one chain the position
  // is never lower.
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
