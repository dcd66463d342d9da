import type { DatabaseSync } from 'node:sqlite';
import { type GrowthRows, packedDays } from '#storage/growth/rows';
import { growthSql } from '#storage/growth/sql';
import { translatingErrors } from './errors.ts';
import { packed } from './snapshot.ts';

/** Requests wait for a step, so it takes about a millisecond. */
const ROWS = 4_000;
const WALLETS = 300;

export function createGrowthRows(db: DatabaseSync, file: string): GrowthRows {
  const sql = growthSql(packed);
  const [imported, scored, changed] = [
    db.prepare(sql.imported),
    db.prepare(sql.scored),
    db.prepare(sql.changed),
  ];
  const read = (statement: typeof imported, values: Record<string, number>) =>
    packedDays(
      translatingErrors(file, () => statement.get(values)),
      (pairs) => (pairs instanceof Uint8Array ? pairs : null),
    );
  return {
    imported: (after, { seq }) => read(imported, { $1: after, $2: seq, $3: ROWS }),
    scored: (after, { edition, change }) =>
      read(scored, { $1: edition, $2: after, $3: WALLETS, $4: change }),
    changed: (after, { edition, change }) =>
      read(changed, { $1: edition, $2: after, $3: WALLETS, $4: change }),
  };
}
