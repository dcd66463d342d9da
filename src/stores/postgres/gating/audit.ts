import type { AuditRow } from '#core/gating/audit';
import type { GateStore } from '#core/gating/store';
import { auditRowOf, isTold } from '#stores/gating/rows';
import type { Database, Queries } from '#stores/postgres/database';
import { unnestColumns } from '#stores/postgres/unnest';

const TOLD = isTold('gate_audit AS later', 'IS NOT DISTINCT FROM');

/** Who did what and why; the table itself is append-only. */
export function createAuditTable(db: Database): Pick<GateStore, 'audit' | 'auditOf' | 'logOf'> {
  const newest = async (
    which: string,
    ...[{ platform, id }, account, limit, offset]: Parameters<GateStore['auditOf']>
  ) => {
    const ofAccount = account === undefined ? '' : 'AND account = $5';
    const rows = await db.rows(
      `SELECT * FROM gate_audit AS row WHERE platform = $1 AND community = $2 ${ofAccount} ${which}
       ORDER BY seq DESC LIMIT $3 OFFSET $4`,
      [platform, id, limit, offset, ...(account === undefined ? [] : [account])],
    );
    return rows.map(auditRowOf);
  };

  return {
    audit: (rows) => addToAudit(db, rows),
    auditOf: (...which) => newest('', ...which),
    logOf: (...which) => newest(`AND ${TOLD}`, ...which),
  };
}

/** Adds rows in order, all or none; inside a transaction or on its own. */
export async function addToAudit(db: Queries, rows: readonly AuditRow[]): Promise<void> {
  if (rows.length === 0) return;
  await db.run(
    `INSERT INTO gate_audit (at, platform, community, event, run, rule, account, by_account, detail)
     SELECT at, platform, community, event, run, rule, account, by_account, detail FROM unnest(
       $1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
       $8::text[], $9::text[]
     ) WITH ORDINALITY
       AS row (at, platform, community, event, run, rule, account, by_account, detail, place)
     ORDER BY place`,
    unnestColumns(
      rows,
      ({ at }) => at,
      ({ community }) => community.platform,
      ({ community }) => community.id,
      ({ event }) => event,
      ({ run }) => run,
      ({ rule }) => rule,
      ({ account }) => account,
      ({ by }) => by,
      ({ detail }) => detail,
    ),
  );
}
