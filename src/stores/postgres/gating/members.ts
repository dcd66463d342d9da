import type { GateStore } from '#core/gating/store';
import { communityOf, membersOf, type WalletRow } from '#stores/gating/rows';
import type { Database } from '#stores/postgres/database';
import { retryConflicts } from '#stores/postgres/retry-conflicts';

const ITS = 'platform = $1 AND community = $2';
const IS_ELSEWHERE = `NOT EXISTS (
  SELECT 1 FROM gate_member WHERE ${ITS} AND present = 1 AND gate_member.account = link.account)`;

const FORGETTING = [
  `DELETE FROM gate_member WHERE ${ITS} AND account = $3 AND protected = 0`,
  // Who is protected stays so when they return.
  `UPDATE gate_member SET present = 0 WHERE ${ITS} AND account = $3`,
  `DELETE FROM gate_grant WHERE ${ITS} AND account = $3`,
];

/** Who is known to be where, with the wallets that are linked. */
export function createMemberTable(
  db: Database,
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
  /** Some members, each with its wallets. */
  const withWallets = async (which: string, values: readonly unknown[]) => {
    const rows = await db.arrays(
      `SELECT member.account, member.protected, link.chain, link.address
       FROM (SELECT account, protected FROM gate_member
             WHERE ${ITS} AND present = 1 AND ${which}) AS member
       LEFT JOIN link ON link.platform = $1 AND link.account = member.account
       ORDER BY member.account, link.linked_at, link.address`,
      values,
    );
    return membersOf(rows as unknown as WalletRow[]);
  };

  return {
    noteMembers: ({ platform, id }, accounts) =>
      retryConflicts(async () => {
        // In one order for all, so that two who note the same don't wait for each other.
        await db.run(
          `INSERT INTO gate_member (platform, community, account, protected)
           SELECT DISTINCT $1, $2, account, 0 FROM unnest($3::text[]) AS account ORDER BY account
           ON CONFLICT (platform, community, account) DO UPDATE SET present = 1, missed_at = NULL
           WHERE gate_member.present = 0 OR gate_member.missed_at IS NOT NULL`,
          [platform, id, accounts],
        );
      }),
    missMembers: ({ platform, id }, accounts, now, before) =>
      retryConflicts(async () => {
        const rows = await db.rows(
          `UPDATE gate_member SET missed_at = coalesce(missed_at, $4)
           WHERE ${ITS} AND present = 1 AND account = ANY($3)
           RETURNING account, missed_at`,
          [platform, id, accounts, now],
        );
        return rows
          .filter((row) => Number(row.missed_at) <= before)
          .map((row) => String(row.account));
      }),
    async linkedElsewhere({ platform, id }, after, limit) {
      const rows = await db.rows(
        `SELECT DISTINCT account FROM link
         WHERE link.platform = $1 AND account > $3 AND ${IS_ELSEWHERE} ORDER BY account LIMIT $4`,
        [platform, id, after, limit],
      );
      return rows.map(({ account }) => String(account));
    },
    forgetMember: ({ platform, id }, account) =>
      retryConflicts(() =>
        db.transaction(async (queries) => {
          for (const sql of FORGETTING) await queries.run(sql, [platform, id, account]);
        }),
      ),
    async protect({ platform, id }, account, isProtected) {
      await db.run(
        isProtected
          ? `INSERT INTO gate_member (platform, community, account, protected)
             VALUES ($1, $2, $3, 1)
             ON CONFLICT (platform, community, account) DO UPDATE SET protected = 1, present = 1`
          : `UPDATE gate_member SET protected = 0 WHERE ${ITS} AND account = $3`,
        [platform, id, account],
      );
    },
    membersAfter: ({ platform, id }, after, limit) =>
      withWallets('account > $3 ORDER BY account LIMIT $4', [platform, id, after, limit]),
    member: async ({ platform, id }, account) =>
      (await withWallets('account = $3', [platform, id, account]))[0],
    async countMembers({ platform, id }) {
      const sql = `SELECT count(*) AS n FROM gate_member WHERE ${ITS} AND present = 1`;
      return Number((await db.rows(sql, [platform, id]))[0]?.n);
    },
    async communitiesOf(platform, account) {
      const rows = await db.rows(
        `SELECT platform, community FROM gate_member AS member
         WHERE platform = $1 AND account = $2 AND present = 1 AND EXISTS (
           SELECT 1 FROM gate_rule AS rule
           WHERE rule.platform = member.platform AND rule.community = member.community)
         ORDER BY community`,
        [platform, account],
      );
      return rows.map(communityOf);
    },
  };
}
