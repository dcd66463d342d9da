import { wallSeconds } from '#base';
import type { WalletScore } from '#scoring';
import { addBatch, type Imported, packScores } from '#storage/changes/commit-changes';
import {
  dailySums,
  earnedOf,
  planScoreChange,
  type ScoreChange,
  storedRowOf,
} from '#storage/scoring/plan';
import { type Row, rows, run, type SqlScript } from '#storage/sql/script';
import { SUMMED_SQL } from './ledger/sums.ts';
import { DIALECT } from './runner.ts';

/** A change, and its number; 0 for one that readers needn't follow. */
type Numbered = ScoreChange & { readonly change: number };

/**
 * Writes what rules gave, in a transaction; of the live score version, by who alone may write.
 * @param isLive whether readers are to be told
 */
export function* writeScores(
  edition: number,
  scores: readonly WalletScore[],
  isLive: boolean,
): SqlScript<void> {
  if (scores.length === 0) return;
  const badges = yield* rows('SELECT id, number FROM badge');
  const numbers = new Map(badges.map((row) => [String(row.id), Number(row.number)]));
  const numberOf = (id: string): number => {
    const number = numbers.get(id);
    if (number === undefined) throw new Error(`the badge ${id} is not in the store`);
    return number;
  };
  const planned = yield* plan(edition, scores, numbers);
  const visible = planned.filter(({ isVisible }) => isVisible);
  const at = wallSeconds();
  const all = isLive
    ? yield* noteChanges(edition, planned, numberOf, at)
    : planned.map((each) => ({ ...each, change: 0 }));
  yield* closeRows(edition, all);
  yield* addRows(edition, all, numberOf);
  yield* replaceSums(edition, visible, numberOf);
  yield* putWallets(edition, all, isLive ? at : 0);
  yield* replaceDays(edition, visible);
}

function* plan(
  edition: number,
  scores: readonly WalletScore[],
  numbers: ReadonlyMap<string, number>,
): SqlScript<ScoreChange[]> {
  const ids = new Map([...numbers].map(([id, number]) => [number, id]));
  const asked = [edition, scores.map(({ number }) => number)];
  const where = 'WHERE edition = $1 AND wallet = ANY ($2::integer[])';
  const walletOf = (row: Row) => Number(row.wallet);
  const kept = Map.groupBy(
    yield* rows(`SELECT * FROM scored ${where} AND gone IS NULL`, asked),
    walletOf,
  );
  const badges = Map.groupBy(yield* rows(`SELECT * FROM scored_badge ${where}`, asked), walletOf);
  return scores.map((score) => {
    const before = (kept.get(score.number) ?? []).map((row) => storedRowOf(row, ids));
    return planScoreChange(score, before, earnedOf(badges.get(score.number) ?? [], ids));
  });
}

const NOTE_SQL = `
  INSERT INTO scored_change (number, batch, edition, wallet, points, activities, gained, lost)
  SELECT (SELECT coalesce(max(number), 0) FROM scored_change) + given.n, $1, $2, given.wallet,
         given.points, given.activities, given.gained, given.lost
  FROM unnest($3::integer[], $4::bigint[], $5::integer[], $6::text[], $7::text[])
    WITH ORDINALITY AS given (wallet, points, activities, gained, lost, n)
  RETURNING number, wallet`;

function* noteChanges(
  edition: number,
  planned: readonly ScoreChange[],
  numberOf: (id: string) => number,
  at: number,
): SqlScript<Numbered[]> {
  const visible = planned.filter(({ isVisible }) => isVisible);
  if (visible.length === 0) return planned.map((each) => ({ ...each, change: 0 }));
  const wallets = visible.map(({ score }) => score.number);
  const losers = visible.filter(({ lost }) => lost.length > 0).map(({ score }) => score.number);
  const awards =
    losers.length === 0
      ? []
      : yield* rows('SELECT wallet, badge FROM award WHERE wallet = ANY ($1::integer[])', [losers]);
  const imported = new Set(awards.map((row) => `${row.wallet} ${row.badge}`));
  // What an import has earned it stays.
  const lostBy = ({ score, lost }: ScoreChange) =>
    lost.map(numberOf).filter((badge) => !imported.has(`${score.number} ${badge}`));
  const importedOf = yield* importedBy(wallets);
  const batch = yield* addBatch(DIALECT, {
    at,
    changes: packScores(visible, importedOf, numberOf),
  });
  const noted = yield* rows(NOTE_SQL, [
    batch,
    edition,
    wallets,
    visible.map(({ points }) => points),
    visible.map(({ activities }) => activities),
    visible.map(({ gained }) => gained.map(numberOf).join()),
    visible.map((each) => lostBy(each).join()),
  ]);
  const numbers = new Map(noted.map((row) => [Number(row.wallet), Number(row.number)]));
  return planned.map((each) => ({ ...each, change: numbers.get(each.score.number) ?? 0 }));
}

const IMPORTED_SQL = `
  SELECT wallet.id, wallet.points + coalesce(tail.points, 0) AS points,
         wallet.activities + coalesce(tail.activities, 0) AS activities,
         ARRAY(SELECT badge.id FROM award JOIN badge ON badge.number = award.badge
               WHERE award.wallet = wallet.id) AS badges
  FROM wallet LEFT JOIN (
    SELECT wallet, sum(points)::bigint AS points, count(*)::integer AS activities FROM activity
    WHERE seq > (${SUMMED_SQL}) AND wallet = ANY ($1::integer[]) GROUP BY wallet
  ) AS tail ON tail.wallet = wallet.id
  WHERE wallet.id = ANY ($1::integer[])`;

/** What imports gave some wallets, those that are going on included. */
function* importedBy(
  wallets: readonly number[],
): SqlScript<(wallet: number) => Imported | undefined> {
  const found = new Map<number, Imported>();
  for (const { id, points, activities, badges } of yield* rows(IMPORTED_SQL, [wallets])) {
    found.set(Number(id), {
      points: Number(points),
      activities: Number(activities),
      badges: badges as string[],
    });
  }
  return (wallet) => found.get(wallet);
}

const GONE = `
  FROM unnest($2::integer[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[])
    AS given (wallet, timestamp, id, born, change)
  WHERE scored.edition = $1 AND scored.wallet = given.wallet
    AND scored.timestamp = given.timestamp AND scored.id = given.id AND scored.born = given.born`;

function* closeRows(edition: number, all: readonly Numbered[]): SqlScript<void> {
  const gone = all.flatMap((each) => each.gone.map((row) => ({ row, change: each.change })));
  if (gone.length === 0) return;
  const values = [
    edition,
    gone.map(({ row }) => row.wallet),
    gone.map(({ row }) => row.timestamp),
    gone.map(({ row }) => row.id),
    gone.map(({ row }) => row.born),
    gone.map(({ change }) => change),
  ];
  // Who reads by an older change still finds it; what nobody was shown is simply gone.
  yield* run(`UPDATE scored SET gone = given.change ${GONE} AND given.change > given.born`, values);
  yield* run(
    `DELETE FROM scored USING ${GONE.replace('FROM', '')} AND given.change <= given.born`,
    values,
  );
}

const ADD_ROWS_SQL = `
  INSERT INTO scored
    (edition, wallet, timestamp, id, born, type, description, points, badge, origin)
  SELECT $1, * FROM unnest($2::integer[], $3::bigint[], $4::text[], $5::bigint[], $6::text[],
                           $7::text[], $8::bigint[], $9::integer[], $10::text[])`;

function* addRows(
  edition: number,
  all: readonly Numbered[],
  numberOf: (id: string) => number,
): SqlScript<void> {
  const added = all.flatMap(({ score, change, added: rows }) =>
    rows.map((row) => ({ ...row, wallet: score.number, change })),
  );
  if (added.length === 0) return;
  yield* run(ADD_ROWS_SQL, [
    edition,
    added.map(({ wallet }) => wallet),
    added.map(({ timestamp }) => timestamp),
    added.map(({ id }) => id),
    added.map(({ change }) => change),
    added.map(({ type }) => type),
    added.map(({ description }) => description),
    added.map(({ points }) => points),
    added.map(({ badge }) => (badge === undefined ? null : numberOf(badge))),
    added.map(({ origin }) => origin),
  ]);
}

const ADD_SUMS_SQL = `
  INSERT INTO scored_rule
    (edition, wallet, rule, points, events, capped, decayed, discounted, newest)
  SELECT $1, * FROM unnest($2::integer[], $3::text[], $4::bigint[], $5::integer[], $6::bigint[],
                           $7::bigint[], $8::bigint[], $9::bigint[])`;

const ADD_BADGES_SQL = `
  INSERT INTO scored_badge (edition, wallet, badge, earned_at)
  SELECT $1, * FROM unnest($2::integer[], $3::integer[], $4::bigint[])`;

function* replaceSums(
  edition: number,
  visible: readonly ScoreChange[],
  numberOf: (id: string) => number,
): SqlScript<void> {
  if (visible.length === 0) return;
  const scored = scoredBefore(visible);
  for (const table of scored.length === 0 ? [] : ['scored_rule', 'scored_badge']) {
    yield* run(`DELETE FROM ${table} WHERE edition = $1 AND wallet = ANY ($2::integer[])`, [
      edition,
      scored,
    ]);
  }
  const sums = visible.flatMap(({ score }) =>
    score.sums.map((sum) => ({ ...sum, wallet: score.number })),
  );
  yield* run(ADD_SUMS_SQL, [
    edition,
    sums.map(({ wallet }) => wallet),
    sums.map(({ rule }) => rule),
    sums.map(({ points }) => points),
    sums.map(({ events }) => events),
    sums.map(({ capped }) => capped),
    sums.map(({ decayed }) => decayed),
    sums.map(({ discounted }) => discounted),
    sums.map(({ newest }) => newest),
  ]);
  const held = visible.flatMap(({ score }) =>
    score.badges.map(([id, at]) => ({ wallet: score.number, badge: numberOf(id), at })),
  );
  if (held.length === 0) return;
  yield* run(ADD_BADGES_SQL, [
    edition,
    held.map(({ wallet }) => wallet),
    held.map(({ badge }) => badge),
    held.map(({ at }) => at),
  ]);
}

/** Numbers of the wallets that something is kept of. */
function scoredBefore(changes: readonly ScoreChange[]): number[] {
  return changes.filter(({ wasScored }) => wasScored).map(({ score }) => score.number);
}

// Behind the sums of wallets, whose changes they bear.
const ADD_DAYS_SQL = `
  INSERT INTO scored_day (edition, wallet, day, points, change)
  SELECT $1, given.wallet, given.day, given.points, own.change
  FROM unnest($2::integer[], $3::integer[], $4::bigint[]) AS given (wallet, day, points)
  JOIN scored_wallet AS own ON own.edition = $1 AND own.wallet = given.wallet`;

function* replaceDays(edition: number, visible: readonly ScoreChange[]): SqlScript<void> {
  const scored = scoredBefore(visible);
  if (scored.length > 0) {
    yield* run('DELETE FROM scored_day WHERE edition = $1 AND wallet = ANY ($2::integer[])', [
      edition,
      scored,
    ]);
  }
  const days = visible.flatMap(({ score }) =>
    Array.from(dailySums(score), ([day, points]) => ({ wallet: score.number, day, points })),
  );
  if (days.length === 0) return;
  yield* run(ADD_DAYS_SQL, [
    edition,
    days.map(({ wallet }) => wallet),
    days.map(({ day }) => day),
    days.map(({ points }) => points),
  ]);
}

const PUT_WALLETS_SQL = `
  INSERT INTO scored_wallet (edition, wallet, points, activities, updated_at, due, change)
  SELECT $1, * FROM unnest($2::integer[], $3::bigint[], $4::integer[], $5::bigint[], $6::integer[],
                           $7::bigint[])
  ON CONFLICT (edition, wallet) DO UPDATE
  SET points = excluded.points, activities = excluded.activities, due = excluded.due,
      updated_at = greatest(scored_wallet.updated_at, excluded.updated_at),
      change = greatest(scored_wallet.change, excluded.change)`;

function* putWallets(edition: number, all: readonly Numbered[], at: number): SqlScript<void> {
  const kept = all.filter(
    ({ score, isVisible }) => isVisible || score.rows.length > 0 || score.due !== undefined,
  );
  yield* run(PUT_WALLETS_SQL, [
    edition,
    kept.map(({ score }) => score.number),
    kept.map(({ sums }) => sums.points),
    kept.map(({ sums }) => sums.activities),
    kept.map(({ isVisible }) => (isVisible ? at : 0)),
    kept.map(({ score }) => score.due ?? null),
    kept.map(({ change }) => change),
  ]);
}
