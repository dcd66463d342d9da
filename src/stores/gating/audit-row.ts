import type { AuditRow } from '#core/gating/audit';
import { run, type SqlScript } from '#stores/sql/script';

/** Part of other transactions. */
export function* addAuditRow(row: AuditRow): SqlScript<void> {
  const { at, community, event, run: of, rule, account, by, detail } = row;
  yield* run(
    `INSERT INTO gate_audit
       (at, platform, community, event, run, rule, account, by_account, detail)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [at, community.platform, community.id, event, of, rule, account, by, detail],
  );
}
