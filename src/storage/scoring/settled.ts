import { type EditionProgress, IMPORT, type ImportedEvidence } from '#scoring';
import { INPUT_COLUMNS, inputStateOf } from '#storage/evidence-rows';
import type { Row } from '#storage/sql/script';

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
