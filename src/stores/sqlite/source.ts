import type { DatabaseSync } from 'node:sqlite';
import type { Reading, ReputationSource } from '#core/ports';
import type { Standings } from '#core/standings/standings';
import type { TierThresholds } from '#core/tier';
import { activityListOf, badgeListOf, createAnswers } from '#stores/answers';
import { explained } from './errors.ts';
import type { Position } from './load.ts';
import { BUSY_ABOVE } from './schema.ts';

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
  const answers = createAnswers(standings, thresholds);

  let named = { uid: '', batch: -1, badges: -1, seq: -1, text: '' };

  // What is in memory is always of this moment, so every question has the same reading.
  const source: ReputationSource & Reading = {
    reading: () => source,
    ageSeconds: 0,
    isStale: false,
    get revision() {
      const { uid, batch, badges, seq } = position;
      // Asked for by every request, and new only now and then.
      if (
        uid !== named.uid ||
        seq !== named.seq ||
        batch !== named.batch ||
        badges !== named.badges
      ) {
        named = { uid, batch, badges, seq, text: `${uid}.${batch}.${badges}.${seq}.${tiers}` };
      }
      return named.text;
    },
    get asOf() {
      return position.committedAt === 0 ? undefined : position.committedAt;
    },
    knowsBadge: (id) => explained(file, () => badge.get(id)) !== undefined,
    recognise: answers.recognise,
    reputation: answers.reputation,
    leaderboard: answers.leaderboard,
    stats: answers.stats,
    badges(wallet) {
      const number = answers.userNumber(wallet);
      if (number === 0) return undefined;
      return badgeListOf(
        wallet,
        explained(file, () => awards.all(number, position.seq)),
      );
    },
    activity(wallet, limit) {
      const number = answers.userNumber(wallet);
      if (number === 0) return undefined;
      const total = standings.activities(number);
      const list = total > BUSY_ABOVE ? newestOfBusy : newest;
      const rows = explained(file, () => list.all(number, position.seq, limit));
      return activityListOf(wallet, rows, total);
    },
  };
  return source;
}
