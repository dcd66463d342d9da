import type { DatabaseSync } from 'node:sqlite';
import type { AuditRow } from '#core/gating/audit';
import type { GateStore } from '#core/gating/store';
import { auditRowOf } from '#stores/gating/rows';
import { transaction } from '#stores/sqlite/database';
import { explained } from '#stores/sqlite/errors';

/** Who did what and why; the table itself refuses anything but more of it. */
export function createAuditTable(
  db: DatabaseSync,
  file: string,
): Pick<GateStore, 'audit' | 'auditOf'> {
  const add = createAuditWriter(db);
  const newest = (which: string) =>
    db.prepare(`SELECT * FROM gate_audit WHERE ${which} ORDER BY seq DESC LIMIT ? OFFSET ?`);
  const sql = {
    all: newest('platform = ? AND community = ?'),
    ofAccount: newest('platform = ? AND community = ? AND account = ?'),
  };

  return {
    audit(rows) {
      explained(file, () => transaction(db, () => rows.forEach(add)));
    },
    auditOf({ platform, id }, account, limit, offset) {
      const rows = explained(file, () =>
        account === undefined
          ? sql.all.all(platform, id, limit, offset)
          : sql.ofAccount.all(platform, id, account, limit, offset),
      );
      return rows.map(auditRowOf);
    },
  };
}

/** @returns what adds a row, within a transaction or by itself */
export function createAuditWriter(db: DatabaseSync): (row: AuditRow) => void {
  const add = db.prepare(
    `INSERT INTO gate_audit
       (at, platform, community, event, run, rule, account, by_account, detail)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return ({ at, community, event, run, rule, account, by, detail }) => {
    const { platform, id } = community;
    add.run(
      at,
      platform,
      id,
      event,
      run ?? null,
      rule ?? null,
      account ?? null,
      by ?? null,
      detail,
    );
  };
}
