import type { BarStore, Community, MemberBar } from '#gating';
import { firstRow, rows, run, type SqlRunner, type SqlScript } from '#storage/sql/script';
import { addToAudit } from './audit.ts';
import { barOf } from './rows.ts';

const ITS = 'platform = $1 AND community = $2';

/** Members whom moderators have barred from what rules grant. */
export function createBarTable(sql: SqlRunner): BarStore {
  const { dialect } = sql;
  const list = (which: string, values: readonly unknown[]) =>
    sql.query(function* (): SqlScript<MemberBar[]> {
      return (yield* rows(`SELECT * FROM gate_bar WHERE ${ITS} ${which}`, values)).map(barOf);
    });
  return {
    barsOf: ({ platform, id }, accounts) =>
      list(`AND ${dialect.isIn('account', '$3')} ORDER BY account, grant_id`, [
        platform,
        id,
        accounts,
      ]),
    barsIn: ({ platform, id }, limit) =>
      list('ORDER BY barred_at DESC, account, grant_id LIMIT $3', [platform, id, limit]),
    countBars: ({ platform, id }) =>
      sql.query(function* (): SqlScript<number> {
        const text = `SELECT count(*) AS n FROM gate_bar WHERE ${ITS}`;
        return Number((yield* firstRow(text, [platform, id]))?.n);
      }),
    putBars: (community, bars) =>
      sql.transact(function* (): SqlScript<void> {
        // Always in the same order, so that concurrent writers of the same rows don't deadlock.
        const keyOf = ({ bar }: (typeof bars)[number]) => `${bar.account} ${bar.grant}`;
        for (const { bar, row } of bars.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))) {
          if (yield* put(community, bar)) yield* addToAudit(dialect, [row]);
        }
      }),
    liftBar: ({ platform, id }, account, grant, row) =>
      sql.transact(function* (): SqlScript<boolean> {
        const lifted = yield* run(
          `DELETE FROM gate_bar WHERE ${ITS} AND account = $3 AND grant_id = $4`,
          [platform, id, account, grant],
        );
        if (lifted > 0) yield* addToAudit(dialect, [row]);
        return lifted > 0;
      }),
  };
}

/** @returns whether it's new, or has only now got an author */
function* put({ platform, id }: Community, bar: MemberBar): SqlScript<boolean> {
  const key = [platform, bar.account, id, bar.grant];
  const added = yield* run(
    `INSERT INTO gate_bar (platform, account, community, grant_id, barred_at, by_account, gone)
     VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (platform, account, community, grant_id) DO NOTHING`,
    [...key, bar.at, bar.by, Number(bar.isGone)],
  );
  if (added > 0) return true;
  const its = 'platform = $1 AND account = $2 AND community = $3 AND grant_id = $4';
  yield* run(`UPDATE gate_bar SET gone = $5 WHERE ${its}`, [...key, Number(bar.isGone)]);
  if (bar.by === undefined) return false;
  const text = `UPDATE gate_bar SET by_account = $5 WHERE ${its} AND by_account IS NULL`;
  return (yield* run(text, [...key, bar.by])) > 0;
}
