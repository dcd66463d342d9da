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
import type { Queries } from '#stores/postgres/database';

const ITS = 'platform = $1 AND account = $2';

/** What gating keeps of one account; part of a transaction of others. */
export async function gateRecordOf(
  db: Queries,
  { platform, id }: Account,
): Promise<Pick<AccountRecord, 'communities' | 'joinRequests' | 'audit'>> {
  // There may be a grant of somebody who has left, or was never seen as a member.
  const communities = await db.rows(
    `SELECT platform, community, max(protected) AS protected FROM (
       SELECT platform, community, protected FROM gate_member WHERE ${ITS}
       UNION ALL SELECT platform, community, 0 FROM gate_grant WHERE ${ITS}) AS known
     GROUP BY platform, community ORDER BY community`,
    [platform, id],
  );
  const grants = await db.arrays(
    `SELECT community, ${GRANT_COLUMNS} FROM gate_grant WHERE ${ITS} ORDER BY community, rule`,
    [platform, id],
  );
  const joinRequests = await db.rows(
    `SELECT * FROM gate_join_request WHERE ${ITS} ORDER BY community`,
    [platform, id],
  );
  const audit = await db.rows(`SELECT * FROM gate_audit WHERE ${ITS} ORDER BY seq`, [platform, id]);
  return {
    communities: communities.map((row) => {
      const community = communityOf(row);
      const its = grants.filter(([where]) => where === community.id);
      return {
        community,
        isProtected: row.protected === 1,
        grants: its.map(([, ...grant]) => grantOf(grant as unknown as GrantRow)),
      };
    }),
    joinRequests: joinRequests.map(joinRequestRecordOf),
    audit: audit.map(auditRowOf),
  };
}

export async function eraseFromGating(db: Queries, { platform, id }: Account): Promise<void> {
  for (const table of ['gate_member', 'gate_join_request', 'gate_change', 'gate_grant']) {
    await db.run(`DELETE FROM ${table} WHERE ${ITS}`, [platform, id]);
  }
  await db.run(`UPDATE gate_audit SET account = NULL, detail = '' WHERE ${ITS}`, [platform, id]);
}
