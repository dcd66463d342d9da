import type { Edition, EditionProgress, StoredRules } from '#scoring';
import type { Row } from '#storage/sql/script';

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

/**
 * The newest rows of imports and of what rules gave, merged.
 * @param rows newest first within each of the two
 */
export function newestOfBoth(
  imported: readonly Row[],
  scored: readonly Row[],
  limit: number,
): readonly Row[] {
  if (scored.length === 0) return imported;
  const byId = (one: Row, other: Row) => (String(one.id) < String(other.id) ? -1 : 1);
  return [...imported, ...scored]
    .sort((one, other) => Number(other.timestamp) - Number(one.timestamp) || byId(one, other))
    .slice(0, limit);
}
