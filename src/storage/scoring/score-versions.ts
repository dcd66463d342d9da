import {
  IMPORT,
  type ImportedEvidence,
  type RulesTexts,
  type ScoreVersion,
  type ScoreVersionProgress,
  type StoredRules,
} from '#scoring';
import { firstRow, type Row, run, type SqlScript } from '#storage/sql/script';
import { INPUT_COLUMNS, inputStateOf } from './evidence-store.ts';

/** Reads a score version from its row. */
export function scoreVersionOf(row: Row | undefined): ScoreVersion | undefined {
  if (row === undefined) return undefined;
  const number = (value: unknown) => (value === null ? undefined : Number(value));
  return {
    number: Number(row.number),
    name: String(row.name),
    version: Number(row.version),
    hash: String(row.hash),
    state: row.state as ScoreVersion['state'],
    replaces: number(row.replaces),
    arrived: Number(row.arrived),
    asOf: Number(row.as_of),
    ends: String(row.ends),
    isSettled: row.settled !== null,
    appliedAt: number(row.applied_at),
  };
}

/** SQL: a score version's columns. */
export const SCORE_VERSION_COLUMNS =
  'number, name, version, hash, state, replaces, arrived, as_of, ends, settled, applied_at';

/** SQL: the rules of score version $1. */
export const SCORE_VERSION_RULES_SQL = `
  SELECT name, version, hash, text, lists FROM edition JOIN stored_rules USING (hash)
  WHERE number = $1`;

/** Whether a write starts where the score version is. */
export function isScoreVersionAt(edition: ScoreVersion, from: ScoreVersionProgress): boolean {
  const { arrived, asOf, ends } = edition;
  return arrived === from.arrived && asOf === from.asOf && ends === from.ends;
}

/** Whether it's kept up to date. */
export function isFollowed({ state }: ScoreVersion): boolean {
  return state === 'building' || state === 'live';
}

/** Reads a score version's rules from a row of `SCORE_VERSION_RULES_SQL`. */
export function rulesOf(row: Row | undefined): StoredRules | undefined {
  if (row === undefined) return undefined;
  return {
    name: String(row.name),
    version: Number(row.version),
    hash: String(row.hash),
    text: String(row.text),
    lists: JSON.parse(String(row.lists)) as Record<string, string>,
  };
}

/** The state in which all scores of a score version last stood on the same evidence and day. */
export interface SettledScores {
  /** The newest change of that state. */
  readonly change: number;
  readonly asOf: number;
  /** See `readEnds`. */
  readonly ends: string;
}

/** @param row of `SOURCES_SQL`; an earlier version of the program may have written it */
export function settledOf({ settled, change, as_of, ends }: Row): SettledScores {
  if (settled !== null) return JSON.parse(String(settled)) as SettledScores;
  return { change: Number(change), asOf: Number(as_of), ends: String(ends) };
}

/**
 * SQL: how far the next $2 arrivals after $1 reach, what is imported, and each input of chains; a single
 * statement, so that all of it is of one moment.
 */
export const ARRIVED_SQL = `
  WITH page AS (
    SELECT max(number) AS up_to
    FROM (SELECT number FROM evidence_arrival WHERE number > $1 ORDER BY number LIMIT $2) AS next
  )
  SELECT page.up_to,
         EXISTS (SELECT 1 FROM evidence_arrival WHERE number > page.up_to) AS is_part,
         (SELECT events FROM evidence_source WHERE source = '${IMPORT}') AS imported,
         (SELECT newest FROM evidence_source WHERE source = '${IMPORT}') AS newest,
         ${INPUT_COLUMNS}
  FROM page LEFT JOIN evidence_input ON height IS NOT NULL ORDER BY evidence_input.number`;

/** SQL: the same about imports alone. */
export const IMPORTED_SQL = `
  SELECT events AS imported, newest FROM evidence_source WHERE source = '${IMPORT}'`;

/** Reads what `ARRIVED_SQL` found, without the wallets. */
export function arrivedOf(after: number, rows: readonly Row[]) {
  const [first] = rows;
  return {
    upTo: Number(first?.up_to ?? after),
    isAll: first === undefined || Number(first.is_part) === 0,
    inputs: rows.filter(({ number }) => number !== null).map(inputStateOf),
    imported: importedOf(first),
  };
}

/** @param row with `imported` and `newest` */
export function importedOf(row: Row | undefined): ImportedEvidence | undefined {
  if (row === undefined || row.imported === null) return undefined;
  return { events: Number(row.imported), newest: Number(row.newest) };
}

const LIVE_SQL = `SELECT ${SCORE_VERSION_COLUMNS} FROM edition WHERE state = 'live'`;

/** The score version that answers are by, if any. */
export function* liveScoreVersion(): SqlScript<ScoreVersion | undefined> {
  return scoreVersionOf(yield* firstRow(LIVE_SQL));
}

/** @param lock SQL after the SELECT, such as `Dialect.forUpdate` */
export function* scoreVersionNumbered(
  number: number,
  lock = '',
): SqlScript<ScoreVersion | undefined> {
  const sql = `SELECT ${SCORE_VERSION_COLUMNS} FROM edition WHERE number = $1 ${lock}`;
  return scoreVersionOf(yield* firstRow(sql, [number]));
}

/** Replaces the text of a score version's rules by one that means the same. */
export function* rewordScoreVersion(number: number, { text, lists }: RulesTexts): SqlScript<void> {
  yield* run(
    `UPDATE stored_rules SET text = $2, lists = $3
     WHERE hash = (SELECT hash FROM edition WHERE number = $1) AND text <> $2`,
    [number, text, JSON.stringify(lists)],
  );
}

/** Notes that a score version is settled, in the transaction that brought it there. */
export function* settleScoreVersion(
  number: number,
  { asOf, ends }: ScoreVersionProgress,
  imported: ImportedEvidence | undefined,
): SqlScript<void> {
  const newest = yield* firstRow('SELECT coalesce(max(number), 0) AS number FROM scored_change');
  const settled: SettledScores = { change: Number(newest?.number), asOf, ends };
  yield* run('UPDATE edition SET settled = $1 WHERE number = $2', [
    JSON.stringify(settled),
    number,
  ]);
  if (imported === undefined) return;
  yield* run(
    `INSERT INTO edition_source (edition, source, height, at) VALUES ($1, '${IMPORT}', $2, $3)
     ON CONFLICT (edition, source) DO UPDATE SET height = excluded.height, at = excluded.at`,
    [number, imported.events, imported.newest],
  );
}
