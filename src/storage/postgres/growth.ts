import type { ListEnd } from '#storage/following/lists';
import { type GrowthRows, packedDays } from '#storage/growth/rows';
import { growthSql } from '#storage/growth/sql';
import { bytesOf, packed } from './ledger/packed-sql.ts';
import type { Reads } from './ledger/reads.ts';

/** Parsing a step takes about a millisecond. */
const ROWS = 10_000;
const WALLETS = 2_000;

export function createGrowthRows(reads: Reads): GrowthRows {
  const { imported, scored, changed } = growthSql(packed);
  async function read(sql: string, values: readonly number[], { newest }: ListEnd) {
    const [row] = await reads.ask(sql, values, newest);
    return packedDays(row, bytesOf);
  }
  return {
    imported: (after, end) => read(imported, [after, end.seq, ROWS], end),
    scored: (after, end) => read(scored, [end.edition, after, WALLETS, end.change], end),
    changed: (after, end) => read(changed, [end.edition, after, WALLETS, end.change], end),
  };
}
