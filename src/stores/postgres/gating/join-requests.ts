import type { JoinRequestStore } from '#core/gating/store';
import { applicantsOf, communityOf, joinRequestOf, type WalletRow } from '#stores/gating/rows';
import type { Database } from '#stores/postgres/database';
import { retryConflicts } from '#stores/postgres/retry-conflicts';

const ITS = 'platform = $1 AND community = $2';

/** Who has asked to join and waits for an answer. */
export function createJoinRequestTable(db: Database): JoinRequestStore {
  const withWallets = async (which: string, values: readonly unknown[]) => {
    const rows = await db.arrays(
      `SELECT asked.account, 0, link.chain, link.address
       FROM (SELECT account FROM gate_join_request WHERE ${ITS} AND ${which}) AS asked
       LEFT JOIN link ON link.platform = $1 AND link.account = asked.account
       ORDER BY asked.account, link.linked_at, link.address`,
      values,
    );
    return applicantsOf(rows as unknown as WalletRow[]);
  };

  return {
    keepJoinRequest: ({ platform, id }, { account, locale, askedAt }, most) =>
      retryConflicts(() =>
        db.transaction(async (queries) => {
          await queries.run(
            `INSERT INTO gate_join_request (platform, community, account, locale, asked_at)
             VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (platform, community, account) DO UPDATE SET
               locale = excluded.locale, asked_at = excluded.asked_at`,
            [platform, id, account, locale, askedAt],
          );
          await queries.run(
            `DELETE FROM gate_join_request WHERE ${ITS} AND account IN (
               SELECT account FROM gate_join_request WHERE ${ITS}
               ORDER BY asked_at DESC, account DESC OFFSET $3)`,
            [platform, id, most],
          );
        }),
      ),
    async joinRequestOf({ platform, id }, account) {
      const sql = `SELECT * FROM gate_join_request WHERE ${ITS} AND account = $3`;
      const [row] = await db.rows(sql, [platform, id, account]);
      return row && joinRequestOf(row);
    },
    async endJoinRequest({ platform, id }, account) {
      const sql = `DELETE FROM gate_join_request WHERE ${ITS} AND account = $3 RETURNING account`;
      return (await db.rows(sql, [platform, id, account])).length > 0;
    },
    async expireJoinRequests(before) {
      await db.run('DELETE FROM gate_join_request WHERE asked_at < $1', [before]);
    },
    async communitiesAsked(platform, account) {
      const rows = await db.rows(
        `SELECT platform, community FROM gate_join_request
         WHERE platform = $1 AND account = $2 ORDER BY community`,
        [platform, account],
      );
      return rows.map(communityOf);
    },
    applicantsAfter: ({ platform, id }, after, limit) =>
      withWallets('account > $3 ORDER BY account LIMIT $4', [platform, id, after, limit]),
    applicant: async ({ platform, id }, account) =>
      (await withWallets('account = $3', [platform, id, account]))[0],
    async countApplicants({ platform, id }) {
      const sql = `SELECT count(*) AS n FROM gate_join_request WHERE ${ITS}`;
      return Number((await db.rows(sql, [platform, id]))[0]?.n);
    },
  };
}
