import type { JoinRequestStore, KnownMember } from '#gating';
import {
  type Dialect,
  firstRow,
  rows,
  run,
  type SqlRunner,
  type SqlScript,
} from '#storage/sql/script';
import { communityOfRow, joinRequestOf } from './rows.ts';
import { withWallets } from './with-wallets.ts';

const ITS = 'platform = $1 AND community = $2';
/** SQLite has no OFFSET without LIMIT. */
const NO_LIMIT = 2_147_483_647;

/** Pending requests to join. */
export function createJoinRequestTable(sql: SqlRunner): JoinRequestStore {
  const { dialect } = sql;
  return {
    keepJoinRequest: ({ platform, id }, { account, locale, askedAt }, most) =>
      sql.transact(function* (): SqlScript<void> {
        yield* run(
          `INSERT INTO gate_join_request (platform, community, account, locale, asked_at)
           VALUES ($1, $2, $3, $4, $5)
           ON CONFLICT (platform, community, account) DO UPDATE SET
             locale = excluded.locale, asked_at = excluded.asked_at`,
          [platform, id, account, locale, askedAt],
        );
        yield* run(
          `DELETE FROM gate_join_request WHERE ${ITS} AND account IN (
             SELECT account FROM gate_join_request ${dialect.indexedBy('gate_join_request_age')}
             WHERE ${ITS} ORDER BY asked_at DESC, account DESC LIMIT ${NO_LIMIT} OFFSET $3)`,
          [platform, id, most],
        );
      }),
    joinRequestOf: ({ platform, id }, account) =>
      sql.query(function* () {
        const text = `SELECT * FROM gate_join_request WHERE ${ITS} AND account = $3`;
        const row = yield* firstRow(text, [platform, id, account]);
        return row && joinRequestOf(row);
      }),
    endJoinRequest: ({ platform, id }, account) =>
      sql.query(function* (): SqlScript<boolean> {
        const text = `DELETE FROM gate_join_request WHERE ${ITS} AND account = $3`;
        return (yield* run(text, [platform, id, account])) > 0;
      }),
    expireJoinRequests: (before) =>
      sql.query(function* (): SqlScript<void> {
        yield* run('DELETE FROM gate_join_request WHERE asked_at < $1', [before]);
      }),
    communitiesAsked: (platform, account) =>
      sql.query(function* () {
        const found = yield* rows(
          `SELECT platform, community
           FROM gate_join_request ${dialect.indexedBy('gate_join_request_account')}
           WHERE platform = $1 AND account = $2 ORDER BY community`,
          [platform, account],
        );
        return found.map(communityOfRow);
      }),
    applicantsAfter: ({ platform, id }, after, limit) =>
      sql.query(() =>
        applicants(dialect, 'account > $3 ORDER BY account LIMIT $4', [platform, id, after, limit]),
      ),
    applicant: ({ platform, id }, account) =>
      sql.query(function* () {
        return (yield* applicants(dialect, 'account = $3', [platform, id, account]))[0];
      }),
    countApplicants: ({ platform, id }) =>
      sql.query(function* (): SqlScript<number> {
        const text = `SELECT count(*) AS n FROM gate_join_request WHERE ${ITS}`;
        return Number((yield* firstRow(text, [platform, id]))?.n);
      }),
  };
}

/** A page of the people who requested to join. */
function* applicants(
  dialect: Dialect,
  which: string,
  values: readonly unknown[],
): SqlScript<KnownMember[]> {
  const asked = `SELECT account, 0 AS protected FROM gate_join_request WHERE ${ITS} AND ${which}`;
  const found = yield* withWallets(dialect, asked, values);
  return found.map((each) => ({ ...each, asksToJoin: true }));
}
