import type { AuditRow, GateStore } from '#gating';
import {
  type Dialect,
  insertInto,
  OF_COMMUNITY,
  rows,
  type SqlRunner,
  type SqlScript,
} from '#storage/sql/script';
import { auditRowOf } from './rows.ts';

/** Who did what and why; the table itself is append-only. */
export function createAuditTable(sql: SqlRunner): Pick<GateStore, 'audit' | 'auditOf' | 'logOf'> {
  const { dialect } = sql;
  const newest = (
    which: string,
    ...[{ platform, id }, account, limit, offset]: Parameters<GateStore['auditOf']>
  ) =>
    sql.query(function* (): SqlScript<AuditRow[]> {
      const former = yield* rows(`SELECT former FROM gate_former WHERE ${OF_COMMUNITY}`, [
        platform,
        id,
      ]);
      // Few have any, and rows of one id are read in the order of an index.
      const ids = [id, ...former.map((row) => String(row.former))];
      const ofCommunity = ids.length === 1 ? 'community = $2' : dialect.isIn('community', '$2');
      const ofAccount = account === undefined ? '' : 'AND account = $5';
      const found = yield* rows(
        `SELECT * FROM gate_audit AS row WHERE platform = $1 AND ${ofCommunity} ${ofAccount} ${which}
         ORDER BY seq DESC LIMIT $3 OFFSET $4`,
        [
          ...[platform, ids.length === 1 ? id : ids, limit, offset],
          ...(account === undefined ? [] : [account]),
        ],
      );
      return found.map(auditRowOf);
    });

  return {
    audit: (added) =>
      added.length === 1
        ? sql.query(() => addToAudit(dialect, added))
        : sql.transact(() => addToAudit(dialect, added)),
    auditOf: (...which) => newest('', ...which),
    logOf: (...which) => newest(`AND ${isLogged(dialect)}`, ...which),
  };
}

const INTO_AUDIT = insertInto('gate_audit', [
  ...['at', 'platform', 'community', 'event', 'run', 'rule', 'account', 'by_account', 'detail'],
]);

/** Adds rows in order; part of other transactions. */
export function* addToAudit(dialect: Dialect, added: readonly AuditRow[]): SqlScript<void> {
  const rowOf = ({ at, community, event, run, rule, account, by, detail }: AuditRow) => {
    const { platform, id } = community;
    return [at, platform, id, event, run, rule, account, by, detail];
  };
  yield* dialect.insert(INTO_AUDIT, added.map(rowOf));
}

/** Seconds within which a platform names who made a change that was seen before. */
const NAMED_IN = 60;

/**
 * SQL: whether a `row` of the audit log says more than that a change started whose result a later
 * row has, or that someone unknown took a role whom the next row about it names.
 */
function isLogged({ indexedBy }: Dialect): string {
  const later = `SELECT 1 FROM gate_audit AS later ${indexedBy('gate_audit_account')}
    WHERE later.platform = row.platform AND later.account = row.account
      AND later.community = row.community AND later.seq > row.seq`;
  return `(row.event NOT IN ('give-begun', 'take-begun') OR NOT EXISTS (${later}
      AND later.run IS NOT DISTINCT FROM row.run AND later.rule IS NOT DISTINCT FROM row.rule))
    AND (row.event <> 'barred' OR row.by_account IS NOT NULL OR NOT EXISTS (${later}
      AND later.event = 'barred' AND later.by_account IS NOT NULL AND later.detail = row.detail
      AND later.at <= row.at + ${NAMED_IN}))`;
}
