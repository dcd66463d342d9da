import type { DatabaseSync } from 'node:sqlite';
import type { Account } from '#core/links/account';
import type { AccountRecord } from '#core/links/records';
import {
  auditRowOf,
  communityOf,
  GRANT_COLUMNS,
  type GrantRow,
  grantOf,
  joinRequestRecordOf,
} from '#stores/gating/rows';

/** What gating keeps of one account, and how it is erased; part of a transaction of others. */
export function createGateAccountTables(db: DatabaseSync): {
  recordOf(account: Account): Pick<AccountRecord, 'communities' | 'joinRequests' | 'audit'>;
  erase(account: Account): void;
} {
  const its = 'platform = ? AND account = ?';
  const sql = {
    // There may be a grant of somebody who has left, or was never seen as a member.
    communities: db.prepare(
      `SELECT platform, community, max(protected) AS protected FROM (
         SELECT platform, community, protected
         FROM gate_member INDEXED BY gate_member_account WHERE ${its}
         UNION ALL SELECT platform, community, 0 FROM gate_grant WHERE ${its})
       GROUP BY platform, community ORDER BY community`,
    ),
    grants: db.prepare(
      `SELECT ${GRANT_COLUMNS} FROM gate_grant WHERE ${its} AND community = ? ORDER BY rule`,
    ),
    joinRequests: db.prepare(
      `SELECT * FROM gate_join_request INDEXED BY gate_join_request_account
       WHERE ${its} ORDER BY community`,
    ),
    audit: db.prepare(`SELECT * FROM gate_audit WHERE ${its} ORDER BY seq`),
  };
  sql.grants.setReturnArrays(true);
  const erasing = [
    // Without the name SQLite goes through all members of the platform.
    ...[
      'gate_member INDEXED BY gate_member_account',
      'gate_join_request INDEXED BY gate_join_request_account',
      'gate_grant',
      'gate_change',
    ].map((table) => db.prepare(`DELETE FROM ${table} WHERE ${its}`)),
    db.prepare(`UPDATE gate_audit SET account = NULL, detail = '' WHERE ${its}`),
  ];

  return {
    recordOf({ platform, id }) {
      const communities = sql.communities.all(platform, id, platform, id).map((row) => {
        const community = communityOf(row);
        const rows = sql.grants.all(platform, id, community.id) as unknown as GrantRow[];
        return { community, isProtected: row.protected === 1, grants: rows.map(grantOf) };
      });
      return {
        communities,
        joinRequests: sql.joinRequests.all(platform, id).map(joinRequestRecordOf),
        audit: sql.audit.all(platform, id).map(auditRowOf),
      };
    },
    erase({ platform, id }) {
      for (const statement of erasing) statement.run(platform, id);
    },
  };
}
