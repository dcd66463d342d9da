import type { DatabaseSync } from 'node:sqlite';
import type { GateStore } from '#core/gating/store';
import { communityOf, membersOf, type WalletRow } from '#stores/gating/rows';
import { transaction } from '#stores/sqlite/database';
import { translatingErrors } from '#stores/sqlite/errors';

/** Who is known to be where, with the wallets that are linked. */
export function createMemberTable(
  db: DatabaseSync,
  file: string,
): Pick<
  GateStore,
  | 'noteMembers'
  | 'missMembers'
  | 'linkedElsewhere'
  | 'forgetMember'
  | 'protect'
  | 'membersAfter'
  | 'member'
  | 'countMembers'
  | 'communitiesOf'
> {
  const its = 'platform = ?1 AND community = ?2';
  /**
   * The wallets of some members, member by member. The index must be named: without statistics
   * SQLite takes the table's own key, and reads every link of the platform for every member.
   */
  const withWallets = (members: string) =>
    db.prepare(
      `SELECT member.account, member.protected, link.chain, link.address
       FROM (SELECT account, protected FROM gate_member WHERE ${its} AND present = 1 AND ${members}) AS member
       LEFT JOIN link INDEXED BY link_account ON link.platform = ?1 AND link.account = member.account
       ORDER BY member.account, link.linked_at, link.address`,
    );
  const isElsewhere = `NOT EXISTS
    (SELECT 1 FROM gate_member WHERE gate_member.platform = ?1 AND community = ?2
       AND gate_member.account = link.account AND present = 1)`;
  const sql = {
    note: db.prepare(
      `INSERT INTO gate_member (platform, community, account, protected)
       SELECT ?1, ?2, value, 0 FROM json_each(?3) WHERE TRUE
       ON CONFLICT (platform, community, account) DO UPDATE SET present = 1, missed_at = NULL
         WHERE present = 0 OR missed_at IS NOT NULL`,
    ),
    miss: db.prepare(
      `UPDATE gate_member SET missed_at = ifnull(missed_at, ?4)
       WHERE ${its} AND present = 1 AND account IN (SELECT value FROM json_each(?3))
       RETURNING account, missed_at`,
    ),
    protect: db.prepare(
      `INSERT INTO gate_member (platform, community, account, protected) VALUES (?, ?, ?, 1)
       ON CONFLICT (platform, community, account) DO UPDATE SET protected = 1, present = 1`,
    ),
    unprotect: db.prepare(`UPDATE gate_member SET protected = 0 WHERE ${its} AND account = ?3`),
    after: withWallets('account > ?3 ORDER BY account LIMIT ?4'),
    one: withWallets('account = ?3'),
    elsewhere: db.prepare(
      `SELECT DISTINCT account FROM link INDEXED BY link_account
       WHERE link.platform = ?1 AND account > ?3 AND ${isElsewhere} ORDER BY account LIMIT ?4`,
    ),
    count: db.prepare(`SELECT count(*) AS n FROM gate_member WHERE ${its} AND present = 1`),
    communities: db.prepare(
      `SELECT platform, community FROM gate_member AS member
       WHERE platform = ? AND account = ? AND present = 1 AND EXISTS (
         SELECT 1 FROM gate_rule AS rule
         WHERE rule.platform = member.platform AND rule.community = member.community)
       ORDER BY community`,
    ),
  };
  const forgetting = [
    `DELETE FROM gate_grant WHERE ${its} AND account = ?3`,
    `DELETE FROM gate_member WHERE ${its} AND account = ?3 AND protected = 0`,
    // Who is protected stays so when they return.
    `UPDATE gate_member SET present = 0 WHERE ${its} AND account = ?3`,
  ].map((statement) => db.prepare(statement));
  // A community is read whole, so rows come as arrays, at less than half the cost of objects.
  sql.after.setReturnArrays(true);
  sql.one.setReturnArrays(true);

  return {
    noteMembers({ platform, id }, accounts) {
      translatingErrors(file, () => sql.note.run(platform, id, JSON.stringify(accounts)));
    },
    missMembers({ platform, id }, accounts, now, before) {
      const rows = translatingErrors(file, () =>
        sql.miss.all(platform, id, JSON.stringify(accounts), now),
      );
      return rows
        .filter((row) => Number(row.missed_at) <= before)
        .map((row) => String(row.account));
    },
    linkedElsewhere({ platform, id }, after, limit) {
      const rows = translatingErrors(file, () => sql.elsewhere.all(platform, id, after, limit));
      return rows.map(({ account }) => String(account));
    },
    forgetMember({ platform, id }, account) {
      translatingErrors(file, () =>
        transaction(db, () => {
          for (const statement of forgetting) statement.run(platform, id, account);
        }),
      );
    },
    protect({ platform, id }, account, isProtected) {
      const statement = isProtected ? sql.protect : sql.unprotect;
      translatingErrors(file, () => statement.run(platform, id, account));
    },
    membersAfter({ platform, id }, after, limit) {
      const rows = translatingErrors(file, () => sql.after.all(platform, id, after, limit));
      return membersOf(rows as unknown as WalletRow[]);
    },
    member({ platform, id }, account) {
      const rows = translatingErrors(file, () => sql.one.all(platform, id, account));
      return membersOf(rows as unknown as WalletRow[])[0];
    },
    countMembers: ({ platform, id }) =>
      Number(translatingErrors(file, () => sql.count.get(platform, id))?.n),
    communitiesOf: (platform, account) =>
      translatingErrors(file, () => sql.communities.all(platform, account)).map(communityOf),
  };
}
