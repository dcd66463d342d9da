import type { LeaderboardQuery, Reading, ReputationSource } from '#core/ports';
import type {
  ActivityList,
  BadgeList,
  GlobalStats,
  LeaderboardPage,
  Reputation,
} from '#core/records';
import type { TierThresholds } from '#core/tier';
import type { Wallet } from '#core/wallet';
import { type Answers, activityListOf, badgeListOf, createAnswers } from '#stores/answers';
import type { Follower } from './follow.ts';
import type { Reads } from './reads.ts';
import { BUSY_ABOVE } from './schema.ts';
import type { Loaded } from './take-in.ts';

const BADGES_SQL = `
  SELECT badge.*, award.earned_at FROM award JOIN badge ON badge.number = award.badge
  WHERE award.wallet = $1 AND award.seq <= $2 ORDER BY badge.id`;

// Not by the key on seq, which most of the ledger is below.
const NEWEST_SQL = `
  SELECT id, type, description, points, timestamp FROM activity
  WHERE wallet = $1 AND seq + 0 <= $2 ORDER BY timestamp DESC, id LIMIT $3`;

const NEWEST_OF_BUSY_SQL = `
  SELECT id, type, description, points, activity.timestamp
  FROM busy_activity AS busy JOIN activity ON activity.seq = busy.seq
  WHERE busy.wallet = $1 AND busy.seq <= $2 ORDER BY busy.timestamp DESC, id LIMIT $3`;

/** Answers from the standings in memory and, for lists, from the ledger up to the same position. */
export function createSource(
  follower: Follower,
  reads: Reads,
  thresholds: TierThresholds,
): ReputationSource {
  const tiers = Object.values(thresholds).join('-');
  let current: { readonly shown: Loaded; readonly answers: Answers } | undefined;

  function answersNow(): Answers {
    const { shown } = follower;
    if (current?.shown !== shown) {
      current = { shown, answers: createAnswers(shown.standings, thresholds) };
    }
    return current.answers;
  }

  const parts: Parts = { follower, reads, tiers, answersNow };
  return {
    reading: () => new PostgresReading(parts),
    recognise: (text) => answersNow().recognise(text),
    knowsBadge: (id) => follower.shown.standings.knowsBadge(id),
  };
}

interface Parts {
  readonly follower: Follower;
  readonly reads: Reads;
  readonly tiers: string;
  answersNow(): Answers;
}

/** Remembers of what each answer came from, for by the time it is there more may have come in. */
class PostgresReading implements Reading {
  readonly #parts: Parts;
  #revision: string | undefined;
  #asOf: number | undefined;
  #ageSeconds = 0;
  #isStale = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get revision(): string {
    return this.#revision ?? this.#revisionNow();
  }

  get asOf(): number | undefined {
    return this.#asOf ?? (this.#parts.follower.shown.position.committedAt || undefined);
  }

  get ageSeconds(): number {
    return this.#revision === undefined
      ? this.#parts.follower.freshness.ageSeconds
      : this.#ageSeconds;
  }

  get isStale(): boolean {
    return this.#revision === undefined ? this.#parts.follower.freshness.isStale : this.#isStale;
  }

  reputation(wallet: Wallet): Reputation | undefined {
    this.#note();
    return this.#parts.answersNow().reputation(wallet);
  }

  leaderboard(query: LeaderboardQuery): LeaderboardPage {
    this.#note();
    return this.#parts.answersNow().leaderboard(query);
  }

  stats(): GlobalStats {
    this.#note();
    return this.#parts.answersNow().stats();
  }

  async badges(wallet: Wallet): Promise<BadgeList | undefined> {
    this.#note();
    const { reads, follower, answersNow } = this.#parts;
    const number = answersNow().userNumber(wallet);
    if (number === 0) return undefined;
    const { standings, position } = follower.shown;
    // Most wallets have none, and that is known here.
    if (standings.badgeCount(number) === 0) return badgeListOf(wallet, []);
    const rows = await reads.ask(BADGES_SQL, [number, position.seq], position.newest);
    return badgeListOf(wallet, rows);
  }

  async activity(wallet: Wallet, limit: number): Promise<ActivityList | undefined> {
    this.#note();
    const { reads, follower, answersNow } = this.#parts;
    const number = answersNow().userNumber(wallet);
    if (number === 0) return undefined;
    const { standings, position } = follower.shown;
    const total = standings.activities(number);
    const sql = total > BUSY_ABOVE ? NEWEST_OF_BUSY_SQL : NEWEST_SQL;
    const rows = await reads.ask(sql, [number, position.seq, limit], position.newest);
    return activityListOf(wallet, rows, total);
  }

  #revisionNow(): string {
    const { follower, tiers } = this.#parts;
    return `${follower.shown.position.revision}.${tiers}`;
  }

  #note(): void {
    const { freshness, shown } = this.#parts.follower;
    this.#revision = this.#revisionNow();
    const { committedAt } = shown.position;
    if (committedAt !== 0) this.#asOf = Math.min(this.#asOf ?? committedAt, committedAt);
    this.#ageSeconds = Math.max(this.#ageSeconds, freshness.ageSeconds);
    this.#isStale ||= freshness.isStale;
  }
}
