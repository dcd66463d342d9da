import type { RefusalStore } from '#gating';
import { rows, run, type SqlRunner, type SqlScript } from '#storage/sql/script';
import { memberRefusalOf } from './rows.ts';

const ITS = 'platform = $1 AND community = $2';

/** What the platform refuses for one member alone. */
export function createRefusalTable(sql: SqlRunner): RefusalStore {
  const { dialect } = sql;
  return {
    refusalsOf: ({ platform, id }, accounts) =>
      sql.query(function* () {
        const found = yield* rows(
          `SELECT * FROM gate_refusal WHERE ${ITS} AND ${dialect.isIn('account', '$3')}
           ORDER BY account, grant_id`,
          [platform, id, accounts],
        );
        return found.map(memberRefusalOf);
      }),
    putRefusal: ({ platform, id }, { account, grant, code, at }) =>
      sql.transact(function* (): SqlScript<void> {
        yield* run(
          `INSERT INTO gate_refusal (platform, account, community, grant_id, code, refused_at)
           VALUES ($1, $2, $3, $4, $5, $6)
           ON CONFLICT (platform, account, community, grant_id) DO UPDATE SET
             code = excluded.code, refused_at = excluded.refused_at`,
          [platform, account, id, grant, code, at],
        );
      }),
    endRefusals: ({ platform, id }, account) =>
      sql.query(function* (): SqlScript<boolean> {
        const text = `DELETE FROM gate_refusal WHERE ${ITS} AND account = $3`;
        return (yield* run(text, [platform, id, account])) > 0;
      }),
  };
}
