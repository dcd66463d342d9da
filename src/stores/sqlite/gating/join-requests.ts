import type { DatabaseSync } from 'node:sqlite';
import type { JoinRequestStore } from '#core/gating/store';
import { applicantsOf, communityOf, joinRequestOf, type WalletRow } from '#stores/gating/rows';
import { transaction } from '#stores/sqlite/database';
import { translatingErrors } from '#stores/sqlite/errors';

/** Who has asked to join and waits for an answer. */
export function createJoinRequestTable(db: DatabaseSync, file: string): JoinRequestStore {
  const its = 'platform = ?1 AND community = ?2';
  // For the index's name see the members' table.
  const withWallets = (applicants: string) =>
    db.prepare(
      `SELECT asked.account, 0, link.chain, link.address
       FROM (SELECT account FROM gate_join_request WHERE ${its} AND ${applicants}) AS asked
       LEFT JOIN link INDEXED BY link_account ON link.platform = ?1 AND link.account = asked.account
       ORDER BY asked.account, link.linked_at, link.address`,
    );
  const sql = {
    keep: db.prepare(
      `INSERT INTO gate_join_request (platform, community, account, locale, asked_at)
       VALUES (?1, ?2, ?3, ?4, ?5)
       ON CONFLICT (platform, community, account) DO UPDATE SET
         locale = excluded.locale, asked_at = excluded.asked_at`,
    ),
    bound: db.prepare(
      `DELETE FROM gate_join_request WHERE ${its} AND account IN (
         SELECT account FROM gate_join_request INDEXED BY gate_join_request_age WHERE ${its}
         ORDER BY asked_at DESC, account DESC LIMIT -1 OFFSET ?3)`,
    ),
    one: db.prepare(`SELECT * FROM gate_join_request WHERE ${its} AND account = ?3`),
    end: db.prepare(`DELETE FROM gate_join_request WHERE ${its} AND account = ?3`),
    expire: db.prepare('DELETE FROM gate_join_request WHERE asked_at < ?'),
    communities: db.prepare(
      `SELECT platform, community FROM gate_join_request INDEXED BY gate_join_request_account
       WHERE platform = ? AND account = ? ORDER BY community`,
    ),
    after: withWallets('account > ?3 ORDER BY account LIMIT ?4'),
    applicant: withWallets('account = ?3'),
    count: db.prepare(`SELECT count(*) AS n FROM gate_join_request WHERE ${its}`),
  };
  sql.after.setReturnArrays(true);
  sql.applicant.setReturnArrays(true);

  return {
    keepJoinRequest({ platform, id }, { account, locale, askedAt }, most) {
      translatingErrors(file, () =>
        transaction(db, () => {
          sql.keep.run(platform, id, account, locale ?? null, askedAt);
          sql.bound.run(platform, id, most);
        }),
      );
    },
    joinRequestOf({ platform, id }, account) {
      const row = translatingErrors(file, () => sql.one.get(platform, id, account));
      return row && joinRequestOf(row);
    },
    endJoinRequest: ({ platform, id }, account) =>
      Number(translatingErrors(file, () => sql.end.run(platform, id, account)).changes) > 0,
    expireJoinRequests(before) {
      translatingErrors(file, () => sql.expire.run(before));
    },
    communitiesAsked: (platform, account) =>
      translatingErrors(file, () => sql.communities.all(platform, account)).map(communityOf),
    applicantsAfter({ platform, id }, after, limit) {
      const rows = translatingErrors(file, () => sql.after.all(platform, id, after, limit));
      return applicantsOf(rows as unknown as WalletRow[]);
    },
    applicant({ platform, id }, account) {
      const rows = translatingErrors(file, () => sql.applicant.all(platform, id, account));
      return applicantsOf(rows as unknown as WalletRow[])[0];
    },
    countApplicants: ({ platform, id }) =>
      Number(translatingErrors(file, () => sql.count.get(platform, id))?.n),
  };
}
