import {
  type Edition,
  type EditionProgress,
  IMPORT,
  type ImportedEvidence,
  type StoredRules,
} from '#scoring';
import type { Row } from '#storage/sql/script';
import { INPUT_COLUMNS, inputStateOf } from './evidence.ts';

/** Reads an edition from its row. */
export function editionOf(row: Row | undefined): Edition | undefined {
  if (row === undefined) return undefined;
  const number = (value: unknown) => (value === null ? undefined : Number(value));
  return {
    number: Number(row.number),
    name: String(row.name),
    version: Number(row.version),
    hash: String(row.hash),
    state: row.state as Edition['state'],
    replaces: number(row.replaces),
    arrived: Number(row.arrived),
    asOf: Number(row.as_of),
    ends: String(row.ends),
    isSettled: row.settled !== null,
    appliedAt: number(row.applied_at),
  };
}

/** SQL: an edition's columns. */
export const EDITION_COLUMNS =
  'number, name, version, hash, state, replaces, arrived, as_of, ends, settled, applied_at';

/** SQL: the rules of edition $1. */
export const EDITION_RULES_SQL = `
  SELECT name, version, hash, text, lists FROM edition JOIN stored_rules USING (hash)
  WHERE number = $1`;

/** SQL: the text of the rules of edition $1. */
export const RULES_TEXT_SQL =
  'SELECT text FROM edition JOIN stored_rules USING (hash) WHERE number = $1';

/** SQL: stores rules by their hash; of texts that mean the same, the last one. */
export const ADD_RULES_SQL = `
  INSERT INTO stored_rules (hash, text, lists) VALUES ($1, $2, $3)
  ON CONFLICT (hash) DO UPDATE SET text = excluded.text, lists = excluded.lists
  WHERE stored_rules.text <> excluded.text`;

/** SQL: replaces the text of the rules of edition $1 by one that means the same. */
export const REWORD_SQL = `
  UPDATE stored_rules SET text = $2, lists = $3
  WHERE hash = (SELECT hash FROM edition WHERE number = $1) AND text <> $2`;

/** SQL: deletes rules of builds that were abandoned; those that were live can be gone back to. */
export const REMOVE_RULES_SQL = `
  DELETE FROM stored_rules
  WHERE hash NOT IN (SELECT hash FROM edition WHERE state <> 'dropped')`;

/** Whether a write starts where the edition is. */
export function isEditionAt(edition: Edition, from: EditionProgress): boolean {
  const { arrived, asOf, ends } = edition;
  return arrived === from.arrived && asOf === from.asOf && ends === from.ends;
}

/** Whether it's kept up to date. */
export function isFollowed({ state }: Edition): boolean {
  return state === 'building' || state === 'live';
}

/** Reads an edition's rules from a row of `EDITION_RULES_SQL`. */
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

/** The state in which all scores of an edition last stood on the same evidence and day. */
export interface SettledScores {
  /** The newest change of that state. */
  readonly change: number;
  readonly asOf: number;
  /** See `readEnds`. */
  readonly ends: string;
}

/** As an edition stores it. It's one value, so that all of it is always of the same write. */
export function settledText(change: number, { asOf, ends }: EditionProgress): string {
  return JSON.stringify({ change, asOf, ends } satisfies SettledScores);
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

/** SQL: notes how much of the imports an edition ($1) includes. */
export const NOTE_IMPORTED_SQL = `
  INSERT INTO edition_source (edition, source, height, at) VALUES ($1, '${IMPORT}', $2, $3)
  ON CONFLICT (edition, source) DO UPDATE SET height = excluded.height, at = excluded.at`;

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
