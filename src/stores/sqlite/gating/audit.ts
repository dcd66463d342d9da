import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { AuditRow } from '#core/gating/audit';
import type { GateStore } from '#core/gating/store';
import { auditRowOf, isTold } from '#stores/gating/rows';
import { transaction } from '#stores/sqlite/database';
import { translatingErrors } from '#stores/sqlite/errors';

/** The index must be named: without statistics, SQLite scans the whole community. */
const TOLD = isTold('gate_audit AS later INDEXED BY gate_audit_account', 'IS');

/** Who did what and why; the table itself is append-only. */
export function createAuditTable(
  db: DatabaseSync,
  file: string,
): Pick<GateStore, 'audit' | 'auditOf' | 'logOf'> {
  const add = createAuditWriter(db);
  const newest = (which: string) =>
    db.prepare(`SELECT * FROM gate_audit AS row WHERE ${which} ORDER BY seq DESC LIMIT ? OFFSET ?`);
  const its = 'platform = ? AND community = ?';
  const sql = {
    all: newest(its),
    ofAccount: newest(`${its} AND account = ?`),
    log: newest(`${its} AND ${TOLD}`),
    logOfAccount: newest(`${its} AND account = ? AND ${TOLD}`),
  };
  const ask = (
    [ofAll, ofAccount]: readonly [StatementSync, StatementSync],
    ...[{ platform, id }, account, limit, offset]: Parameters<GateStore['auditOf']>
  ) =>
    translatingErrors(file, () =>
      account === undefined
        ? ofAll.all(platform, id, limit, offset)
        : ofAccount.all(platform, id, account, limit, offset),
    ).map(auditRowOf);

  return {
    audit(rows) {
      translatingErrors(file, () => transaction(db, () => rows.forEach(add)));
    },
    auditOf: (...which) => ask([sql.all, sql.ofAccount], ...which),
    logOf: (...which) => ask([sql.log, sql.logOfAccount], ...which),
  };
}

/** @returns a function that adds a row, inside a transaction or on its own */
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
