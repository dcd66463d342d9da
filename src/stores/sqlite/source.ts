import type { DatabaseSync } from 'node:sqlite';
import type { Reading, ReputationSource } from '#core/ports';
import type { Activity, EarnedBadge, LeaderboardEntry } from '#core/records';
import type { Standings } from '#core/standings/standings';
import { TIERS, type Tier, type TierThresholds, tierOf } from '#core/tier';
import { formatTime } from '#core/time';
import { shortAddress, type Wallet } from '#core/wallet';
import { explained } from './errors.ts';
import { badgeOf, type Position } from './load.ts';
import { BUSY_ABOVE } from './schema.ts';

/** Ethereum addresses without the checksum that lies in the case of their letters (EIP-55). */
const ONE_CASE = /^0x(?:[0-9a-f]{40}|[0-9A-F]{40})$/;

/** Answers from the standings in memory and, for lists, from the ledger up to the same position. */
export function createSource(
  db: DatabaseSync,
  file: string,
  standings: Standings,
  position: Readonly<Position>,
  thresholds: TierThresholds,
): ReputationSource & Reading {
  const awards = db.prepare(
    `SELECT badge.*, award.earned_at FROM award JOIN badge ON badge.number = award.badge
     WHERE award.wallet = ? AND award.seq <= ? ORDER BY badge.id`,
  );
  const newest = db.prepare(
    `SELECT id, type, description, points, timestamp FROM activity
     WHERE wallet = ? AND seq <= ? ORDER BY timestamp DESC, id LIMIT ?`,
  );
  const newestOfBusy = db.prepare(
    `SELECT id, type, description, points, activity.timestamp
     FROM busy_activity AS busy JOIN activity ON activity.seq = busy.seq
     WHERE busy.wallet = ? AND busy.seq <= ? ORDER BY busy.timestamp DESC, id LIMIT ?`,
  );
  const badge = db.prepare('SELECT number FROM badge WHERE id = ?');
  const tiers = Object.values(thresholds).join('-');

  let named = { batch: -1, badges: -1, seq: -1, text: '' };

  // Who recognises a wallet asks about it next; remembering the last one saves a second search.
  let lastWallet: Wallet | undefined;
  let lastNumber = 0;

  /** The number of a wallet that has activity, or 0. */
  function userNumber(wallet: Wallet): number {
    const number = wallet === lastWallet ? lastNumber : standings.find(wallet.address);
    return number !== 0 && standings.activities(number) > 0 ? number : 0;
  }

  function entry(number: number, rank: number): LeaderboardEntry {
    const address = standings.address(number);
    const score = standings.score(number);
    return {
      rank,
      address,
      displayName: standings.name(number) ?? shortAddress(address),
      score,
      tier: tierOf(score, thresholds),
      badges: standings.badgeCount(number),
    };
  }

  // What is in memory is always of this moment, so every question has the same reading.
  const source: ReputationSource & Reading = {
    reading: () => source,
    ageSeconds: 0,
    isStale: false,
    get revision() {
      const { batch, badges, seq } = position;
      // Asked for by every request, and new only now and then.
      if (seq !== named.seq || batch !== named.batch || badges !== named.badges) {
        named = { batch, badges, seq, text: `${batch}.${badges}.${seq}.${tiers}` };
      }
      return named.text;
    },
    get asOf() {
      return position.committedAt === 0 ? undefined : position.committedAt;
    },
    recognise(text) {
      // Letters of one case bear no checksum, so nothing is lost when they are not compared.
      const isOneCase = ONE_CASE.test(text);
      const number = isOneCase ? standings.findInAnyCase(text) : standings.find(text);
      if (number === 0) return undefined;
      lastNumber = number;
      const address = isOneCase ? standings.address(number) : text;
      lastWallet = { chain: standings.chain(number), address };
      return lastWallet;
    },
    knowsBadge: (id) => explained(file, () => badge.get(id)) !== undefined,
    reputation(wallet) {
      const number = userNumber(wallet);
      if (number === 0) return undefined;
      const score = standings.score(number);
      return {
        address: wallet.address,
        chain: wallet.chain,
        score,
        tier: tierOf(score, thresholds),
        rank: standings.rank(score),
        totalUsers: standings.users(),
        badges: standings.badgeNames(number),
        lastUpdated: formatTime(standings.updatedAt(number)),
      };
    },
    badges(wallet) {
      const number = userNumber(wallet);
      if (number === 0) return undefined;
      const rows = explained(file, () => awards.all(number, position.seq));
      const badges = rows.map((row): EarnedBadge => {
        const { id, name, description, tier, imageUrl, soulbound } = badgeOf(row);
        const earnedAt = formatTime(Number(row.earned_at));
        return { id, name, description, tier, earnedAt, imageUrl, soulbound };
      });
      return { address: wallet.address, badges, total: badges.length };
    },
    leaderboard({ chain, limit, offset }) {
      const numbers = standings.page(chain, offset, limit);
      const leaderboard: LeaderboardEntry[] = [];
      let rank = 0;
      let lastScore = Number.NaN;
      for (const [index, number] of numbers.entries()) {
        const score = standings.score(number);
        // The first one's equals may begin on an earlier page; after that a new score begins here.
        if (index === 0) rank = standings.rank(score, chain);
        else if (score !== lastScore) rank = offset + index + 1;
        lastScore = score;
        leaderboard.push(entry(number, rank));
      }
      return { leaderboard, total: standings.users(chain), limit, offset };
    },
    activity(wallet, limit) {
      const number = userNumber(wallet);
      if (number === 0) return undefined;
      const isBusy = standings.activities(number) > BUSY_ABOVE;
      const list = isBusy ? newestOfBusy : newest;
      const rows = explained(file, () => list.all(number, position.seq, limit));
      const activities = rows.map(
        (row): Activity => ({
          id: `act_${String(row.id)}`,
          type: String(row.type),
          description: String(row.description),
          points: Number(row.points),
          timestamp: formatTime(Number(row.timestamp)),
        }),
      );
      return { address: wallet.address, activities, total: standings.activities(number) };
    },
    stats() {
      const users = standings.users();
      return {
        totalUsers: users,
        totalBadgesIssued: standings.badgesIssued,
        chains: {
          ethereum: { users: standings.users('ethereum') },
          solana: { users: standings.users('solana') },
          algorand: { users: standings.users('algorand') },
        },
        averageScore: users === 0 ? 0 : Math.round((standings.scoreSum / users) * 100) / 100,
        topTier: usersByTier(standings, thresholds),
      };
    },
  };
  return source;
}

function usersByTier(
  standings: Standings,
  thresholds: TierThresholds,
): Record<Lowercase<Tier>, number> {
  const counts = { titan: 0, whale: 0, shark: 0, dolphin: 0, shrimp: 0 };
  let above = 0;
  for (const tier of TIERS) {
    const key = tier.toLowerCase() as Lowercase<Tier>;
    const from = key === 'shrimp' ? 0 : thresholds[key];
    const atLeast = standings.countFrom(from);
    counts[key] = atLeast - above;
    above = atLeast;
  }
  return counts;
}
