import { type MaybePromise, parseTime } from '#base';
import { type Activity, type ChainEvent, keptId, publicId } from '#reputation';
import { IMPORT, spaceOf } from '#scoring';
import { keptPlace } from '#storage/scoring/evidence-store';
import type { Row } from '#storage/sql/script';
import type { ListEnd, ShownReads } from './lists.ts';

/** Queries about the events that activities were given for. @throws RetryableError */
export interface ChainEventRows {
  /** `id` and `origin` of those that the score version gave a wallet. */
  origins(
    wallet: number,
    activities: readonly ActivityKey[],
    end: ListEnd,
  ): MaybePromise<readonly Row[]>;
  /** A wallet's evidence at some positions, as `chainEventsOf` takes it. */
  evidence(
    wallet: number,
    places: readonly EventPlace[],
    end: ListEnd,
  ): MaybePromise<readonly Row[]>;
}

/** Queries about where scores come from; see the SQL below. @throws RetryableError */
export interface ExplanationRows extends ChainEventRows {
  /** What the score version grants a wallet now, whatever `change` says. */
  rules(wallet: number, end: ListEnd): MaybePromise<readonly Row[]>;
  /** Points per day. */
  days(wallet: number, end: ListEnd): MaybePromise<readonly Row[]>;
  /** How far the sources have been read in the current score version. */
  sources(end: ListEnd): MaybePromise<readonly Row[]>;
  /** The next changes of the score version's scores after one of them; none: there are no more. */
  changes(after: number, end: ListEnd): MaybePromise<readonly Row[]>;
}

/** An activity by its row's key. */
interface ActivityKey {
  /** As stored. */
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
}

export function activityKeys(activities: readonly Activity[]): ActivityKey[] {
  return activities.flatMap(({ id, timestamp }) => {
    const [kept, seconds] = [keptId(id), parseTime(timestamp)];
    return kept === undefined || seconds === undefined ? [] : [{ id: kept, timestamp: seconds }];
  });
}

/** The chain event that an activity was given for. */
interface EventPlace {
  /** Its public id. */
  readonly activity: string;
  readonly source: string;
  /** As stored. */
  readonly place: string;
}

/** Days of holding and adjustments have a word instead of the height. */
const ORIGIN = /^[^:]+:([^:]+):(\d+):(.+)$/s;

/** @param rows `id` and `origin` of activities; those without a chain event are left out */
export function eventPlaces(rows: readonly Row[]): EventPlace[] {
  return rows.flatMap(({ id, origin }) => {
    const [, source = IMPORT, height, place = ''] = ORIGIN.exec(String(origin)) ?? [];
    if (source === IMPORT) return [];
    return [{ activity: publicId(String(id)), source, place: keptPlace(Number(height), place) }];
  });
}

/** @param rows evidence at these places, with its `source`, `chain`, and the `name` of its input */
export function chainEventsOf(
  places: readonly EventPlace[],
  rows: readonly Row[],
): ReadonlyMap<string, ChainEvent> {
  const keyOf = (source: unknown, place: unknown) => `${source}:${place}`;
  // Several inputs may have the same event.
  const found = new Map(rows.map((row) => [keyOf(row.source, row.place), row]));
  return new Map(
    places.flatMap(({ activity, source, place }) => {
      const row = found.get(keyOf(source, place));
      return row === undefined ? [] : [[activity, chainEventOf(row)]];
    }),
  );
}

function chainEventOf({ chain, transaction_id: id, name, args }: Row): ChainEvent {
  const event = { chain: String(chain), transaction: String(id) };
  const space = spaceOf(String(name));
  const { proposal } = JSON.parse(String(args)) as { proposal?: unknown };
  if (space === undefined || typeof proposal !== 'string') return event;
  return { ...event, vote: { space, proposal } };
}

/**
 * SQL of all stores about where scores come from. Each is a single statement, so that its result is of one
 * moment.
 */

/** What a score version ($1) gave a wallet ($2): a row for each rule, at least one for the score version. */
const RULES_SQL = `
  SELECT edition.version, edition.as_of, edition.state, own.points AS all_points, own.activities,
         own.change, sum.rule, sum.points, sum.events, sum.capped, sum.decayed, sum.discounted,
         sum.newest
  FROM edition
  LEFT JOIN scored_wallet AS own ON own.edition = edition.number AND own.wallet = $2
  LEFT JOIN scored_rule AS sum ON sum.edition = edition.number AND sum.wallet = $2
  WHERE edition.number = $1`;

/**
 * A score version ($1), the state in which it last was settled, how much of the imports that includes, and the newest
 * change of what rules gave.
 */
const SOURCES_SQL = `
  SELECT edition.name, edition.version, edition.hash, edition.applied_at, edition.as_of,
         edition.state, edition.ends, edition.settled, part.height, part.at,
         (SELECT coalesce(max(number), 0) FROM scored_change) AS change
  FROM edition
  LEFT JOIN edition_source AS part
    ON part.edition = edition.number AND part.source = '${IMPORT}'
  WHERE edition.number = $1`;

// Earlier versions of the program wrote score versions without daily sums.
const SUMMED = `
  EXISTS (SELECT 1 FROM scored_day AS part
          JOIN scored_wallet AS own ON own.edition = part.edition AND own.wallet = part.wallet
          WHERE part.edition = $3 AND part.wallet = $1 AND part.change = own.change)`;

/**
 * A wallet's ($1) points by day: of activities imported up to a ledger row ($2), and of what a score version ($3)
 * gave up to a change ($4). A day may come several times. If a score version's points are stored sums, `change` is
 * the one they're based on. (`+ 0` prevents the use of an index: few rows are after the position, and few
 * belong to a wallet without sums. The condition that picks a way comes first in its join, or SQLite would
 * scan all rows to find that it isn't needed.)
 */
const DAYS_SQL = `
  SELECT day, points, 0 AS change FROM busy_day WHERE wallet = $1
  UNION ALL
  SELECT timestamp / 86400, -sum(points), 0
  FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM busy_day WHERE wallet = $1)) AS busy
  CROSS JOIN activity WHERE seq > $2 AND wallet + 0 = $1 GROUP BY 1
  UNION ALL
  SELECT timestamp / 86400, sum(points), 0
  FROM (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM busy_day WHERE wallet = $1)) AS quiet
  CROSS JOIN activity WHERE wallet = $1 AND seq + 0 <= $2 GROUP BY 1
  UNION ALL
  SELECT day, points, change FROM scored_day WHERE edition = $3 AND wallet = $1 AND ${SUMMED}
  UNION ALL
  SELECT timestamp / 86400, sum(points), 0
  FROM (SELECT 1 WHERE NOT ${SUMMED}) AS quiet
  CROSS JOIN scored
  WHERE edition = $3 AND wallet = $1 AND born <= $4 AND (gone IS NULL OR gone > $4) GROUP BY 1`;

/** Some changes of a score version ($1) after one ($2) up to another ($3), in their order. */
const CHANGES_SQL = `
  SELECT number, wallet, points, activities FROM scored_change
  WHERE number > $2 AND number <= $3 AND edition = $1 ORDER BY number LIMIT 2000`;

/** @param events queries that differ by database */
export function createExplanationRows(
  { ask }: ShownReads,
  events: ChainEventRows,
): ExplanationRows {
  return {
    ...events,
    rules: (wallet, { edition, newest }) => ask(RULES_SQL, [edition, wallet], newest),
    days: (wallet, { seq, edition, change, newest }) =>
      ask(DAYS_SQL, [wallet, seq, edition, change], newest),
    sources: ({ edition, newest }) => ask(SOURCES_SQL, [edition], newest),
    changes: (after, { edition, change, newest }) =>
      ask(CHANGES_SQL, [edition, after, change], newest),
  };
}
