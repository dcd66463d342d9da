import type { DatabaseSync } from 'node:sqlite';
import { schemaVersion } from '#storage/sqlite/migrate';
import { missingColumns } from '#storage/tables/all';
import { COUNTED, type Contents } from '#storage/tables/contents';
import { laterColumns } from '#storage/tables/migrations';

export function contentsIn(db: DatabaseSync): Contents {
  const tables = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all();
  const names = new Set(tables.map(({ name }) => name));
  const present = COUNTED.filter(([, table]) => names.has(table));
  return Object.fromEntries(
    present.map(([name, table]) => [name, number(db, `SELECT count(*) AS n FROM ${table}`)]),
  );
}

/**
 * What is wrong with the pages or with what is on them: pages of two databases can each be whole.
 * @param check `quick_check` compares no index with its table
 * @returns sentences; none if all is well
 */
export function faultsOf(db: DatabaseSync, check: 'integrity_check' | 'quick_check'): string[] {
  const pages = db.prepare(`PRAGMA ${check}(5)`).all();
  const damage = pages.map((row) => String(row[check])).filter((text) => text !== 'ok');
  if (damage.length > 0) return damage;
  const unlike = unlikeVersion(db);
  return unlike === undefined ? contradictions(db) : [unlike];
}

/** Columns by their names, as `table.column`. */
export function columnsIn(db: DatabaseSync): ReadonlySet<string> {
  const columns = db.prepare(
    `SELECT t.name || '.' || c.name AS name FROM pragma_table_list AS t, pragma_table_info(t.name) AS c
     WHERE t.schema = 'main'`,
  );
  return new Set(columns.all().map(({ name }) => String(name)));
}

/** How the tables differ from those of the version that the file names, as after a change by hand. */
export function unlikeVersion(db: DatabaseSync): string | undefined {
  const [version, there] = [schemaVersion(db), columnsIn(db)];
  const later = laterColumns('sqlite', version);
  const missing = missingColumns(there, 'sqlite').filter((column) => !later.has(column));
  const early = [...later].filter((column) => there.has(column));
  if (missing.length === 0 && early.length === 0) return undefined;
  const what = missing.length > 0 ? `without ${some(missing)}` : `with ${some(early)} already`;
  return `it names schema ${version}, and its tables are ${what}`;
}

/** More names don't help to recognise what happened. */
const SHOWN = 5;

function some(names: readonly string[]): string {
  return names.slice(0, SHOWN).join(', ') + (names.length > SHOWN ? ', …' : '');
}

/** Finds where the ledger and what is derived from it disagree. */
function contradictions(db: DatabaseSync): string[] {
  const faults: string[] = [];
  const agree = (what: string, one: string, other: string) => {
    const [a, b] = [number(db, one), number(db, other)];
    if (a !== b) faults.push(`${what}: ${a} and ${b}`);
  };
  agree(
    'the wallets and the ledger count different activities',
    'SELECT total(activities) AS n FROM wallet',
    'SELECT count(*) AS n FROM activity',
  );
  agree(
    'the wallets and the ledger sum up different points',
    'SELECT total(points) AS n FROM wallet',
    'SELECT total(points) AS n FROM activity',
  );
  agree(
    'the newest activity and the newest batch differ',
    'SELECT coalesce(max(seq), 0) AS n FROM activity',
    'SELECT coalesce(max(last_seq), 0) AS n FROM batch',
  );
  const strangers = number(
    db,
    'SELECT count(*) AS n FROM activity WHERE wallet > (SELECT coalesce(max(id), 0) FROM wallet)',
  );
  if (strangers > 0) faults.push(`${strangers} activities belong to no wallet`);
  return faults;
}

function number(db: DatabaseSync, sql: string): number {
  return Number(db.prepare(sql).get()?.n);
}
