import type { GateStore } from '#gating';
import { firstRow, rows, run, type SqlRunner, type SqlScript } from '#storage/sql/script';
import { communityOfRow } from './rows.ts';
import { withWallets } from './with-wallets.ts';

const ITS = 'platform = $1 AND community = $2';
const KNOWN = `SELECT account, protected FROM gate_member WHERE ${ITS} AND present = 1`;
const IS_ELSEWHERE = `NOT EXISTS (
  SELECT 1 FROM gate_member WHERE gate_member.platform = $1 AND community = $2 AND present = 1
    AND gate_member.account = link.account)`;

/** Known members by community, with their linked wallets. */
export function createMemberTable(
  sql: SqlRunner,
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
  const { dialect } = sql;
  const links = `link ${dialect.indexedBy('link_account')}`;

  return {
    noteMembers: ({ platform, id }, accounts) =>
      sql.transact(function* (): SqlScript<void> {
        // Always in the same order, so that concurrent writers of the same rows don't deadlock.
        yield* run(
          `INSERT INTO gate_member (platform, community, account, protected)
           SELECT DISTINCT $1, $2, noted.value, 0 FROM ${dialect.elements('$3')} AS noted
           WHERE TRUE ORDER BY noted.value
           ON CONFLICT (platform, community, account) DO UPDATE SET present = 1, missed_at = NULL
           WHERE gate_member.present = 0 OR gate_member.missed_at IS NOT NULL`,
          [platform, id, accounts],
        );
      }),
    missMembers: ({ platform, id }, accounts, now, before) =>
      sql.transact(function* () {
        const missed = yield* rows(
          `UPDATE gate_member SET missed_at = coalesce(missed_at, $4)
           WHERE ${ITS} AND present = 1 AND ${dialect.isIn('account', '$3')}
           RETURNING account, missed_at`,
          [platform, id, accounts, now],
        );
        return missed
          .filter((row) => Number(row.missed_at) <= before)
          .map((row) => String(row.account));
      }),
    linkedElsewhere: ({ platform, id }, after, limit) =>
      sql.query(function* () {
        const found = yield* rows(
          `SELECT DISTINCT account FROM ${links}
           WHERE link.platform = $1 AND account > $3 AND ${IS_ELSEWHERE} ORDER BY account LIMIT $4`,
          [platform, id, after, limit],
        );
        return found.map(({ account }) => String(account));
      }),
    forgetMember: ({ platform, id }, account) =>
      sql.transact(function* (): SqlScript<void> {
        const its = [platform, id, account];
        yield* run(`DELETE FROM gate_member WHERE ${ITS} AND account = $3 AND protected = 0`, its);
        // Protected members remain protected when they return.
        yield* run(`UPDATE gate_member SET present = 0 WHERE ${ITS} AND account = $3`, its);
        yield* run(`DELETE FROM gate_grant WHERE ${ITS} AND account = $3`, its);
      }),
    protect: ({ platform, id }, account, isProtected) =>
      sql.query(function* (): SqlScript<void> {
        yield* run(
          isProtected
            ? `INSERT INTO gate_member (platform, community, account, protected)
               VALUES ($1, $2, $3, 1)
               ON CONFLICT (platform, community, account) DO UPDATE SET protected = 1, present = 1`
            : `UPDATE gate_member SET protected = 0 WHERE ${ITS} AND account = $3`,
          [platform, id, account],
        );
      }),
    membersAfter: ({ platform, id }, after, limit) =>
      sql.query(() =>
        withWallets(dialect, `${KNOWN} AND account > $3 ORDER BY account LIMIT $4`, [
          platform,
          id,
          after,
          limit,
        ]),
      ),
    member: ({ platform, id }, account) =>
      sql.query(function* () {
        return (yield* withWallets(dialect, `${KNOWN} AND account = $3`, [
          platform,
          id,
          account,
        ]))[0];
      }),
    countMembers: ({ platform, id }) =>
      sql.query(function* (): SqlScript<number> {
        const text = `SELECT count(*) AS n FROM gate_member WHERE ${ITS} AND present = 1`;
        return Number((yield* firstRow(text, [platform, id]))?.n);
      }),
    communitiesOf: (platform, account) =>
      sql.query(function* () {
        const found = yield* rows(
          `SELECT platform, community FROM gate_member AS member
           WHERE platform = $1 AND account = $2 AND present = 1 AND EXISTS (
             SELECT 1 FROM gate_rule AS rule
             WHERE rule.platform = member.platform AND rule.community = member.community)
           ORDER BY community`,
          [platform, account],
        );
        return found.map(communityOfRow);
      }),
  };
}
