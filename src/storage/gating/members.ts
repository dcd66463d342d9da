import type { GateStore, JoinRequestStore, KnownMember, UsernameStore } from '#gating';
import {
  arrays,
  type Dialect,
  firstRow,
  OF_ACCOUNT,
  OF_COMMUNITY,
  putRow,
  rows,
  run,
  type SqlRunner,
  type SqlScript,
} from '#storage/sql/script';
import { forgetMarks } from './marks.ts';
import { stampArrivals } from './moves.ts';
import { communityOfRow, joinRequestOf, membersOf, nullableText } from './rows.ts';

const KNOWN = `SELECT account, protected FROM gate_member WHERE ${OF_COMMUNITY} AND present = 1`;
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
  | 'noteLocale'
  | 'localeOf'
  | 'protect'
  | 'protectedAmong'
  | 'membersAfter'
  | 'member'
  | 'countMembers'
  | 'linksIn'
  | 'communitiesOf'
> {
  const { dialect } = sql;
  const links = `link ${dialect.indexedBy('link_account')}`;

  return {
    noteMembers: ({ platform, id }, accounts) =>
      sql.transact(function* () {
        // Always in the same order, so that concurrent writers of the same rows don't deadlock.
        const found = yield* rows(
          `INSERT INTO gate_member (platform, community, account, protected)
           SELECT DISTINCT $1, $2, noted.value, 0 FROM ${dialect.elements('$3')} AS noted
           WHERE TRUE ORDER BY noted.value
           ON CONFLICT (platform, community, account) DO UPDATE SET present = 1, missed_at = NULL
           WHERE gate_member.present = 0 OR gate_member.missed_at IS NOT NULL
           RETURNING account`,
          [platform, id, accounts],
        );
        const arrived = found.map(({ account }) => String(account));
        yield* stampArrivals(dialect, { platform, id }, arrived);
        return arrived;
      }),
    missMembers: ({ platform, id }, accounts, now, before) =>
      sql.transact(function* () {
        const missed = yield* rows(
          `UPDATE gate_member SET missed_at = coalesce(missed_at, $4)
           WHERE ${OF_COMMUNITY} AND present = 1 AND ${dialect.isIn('account', '$3')}
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
    forgetMember: (community, account) =>
      sql.transact(function* (): SqlScript<void> {
        const key = [community.platform, community.id, account];
        yield* run(
          `DELETE FROM gate_member WHERE ${OF_COMMUNITY} AND account = $3 AND protected = 0`,
          key,
        );
        // Protected members remain protected when they return.
        yield* run(
          `UPDATE gate_member SET present = 0, locale = NULL WHERE ${OF_COMMUNITY} AND account = $3`,
          key,
        );
        yield* run(`DELETE FROM gate_grant WHERE ${OF_COMMUNITY} AND account = $3`, key);
        yield* forgetMarks(dialect, community, account);
      }),
    noteLocale: ({ platform, id }, account, locale) =>
      sql.query(function* (): SqlScript<void> {
        const text = `UPDATE gate_member SET locale = $4 WHERE ${OF_COMMUNITY} AND account = $3 AND present = 1`;
        yield* run(text, [platform, id, account, locale]);
      }),
    localeOf: ({ platform, id }, account) =>
      sql.query(function* (): SqlScript<string | undefined> {
        const text = `SELECT locale FROM gate_member WHERE ${OF_COMMUNITY} AND account = $3`;
        const row = yield* firstRow(text, [platform, id, account]);
        return row && nullableText(row.locale);
      }),
    protect: (community, account, isProtected) =>
      sql.transact(function* (): SqlScript<boolean> {
        const key = [community.platform, community.id, account];
        if (isProtected) {
          yield* run(
            `INSERT INTO gate_member (platform, community, account, protected)
             VALUES ($1, $2, $3, 0)
             ON CONFLICT (platform, community, account) DO UPDATE SET present = 1`,
            key,
          );
          yield* stampArrivals(dialect, community, [account]);
        }
        const changed = yield* run(
          `UPDATE gate_member SET protected = $4 WHERE ${OF_COMMUNITY} AND account = $3 AND protected <> $4`,
          [...key, isProtected ? 1 : 0],
        );
        return changed > 0;
      }),
    protectedAmong: ({ platform, id }, accounts) =>
      sql.query(function* () {
        const found = yield* rows(
          `SELECT account FROM gate_member
           WHERE ${OF_COMMUNITY} AND ${dialect.isIn('account', '$3')} AND protected = 1`,
          [platform, id, accounts],
        );
        return new Set(found.map(({ account }) => String(account)));
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
        const text = `SELECT count(*) AS n FROM gate_member WHERE ${OF_COMMUNITY} AND present = 1`;
        return Number((yield* firstRow(text, [platform, id]))?.n);
      }),
    linksIn: ({ platform, id }) =>
      sql.query(function* (): SqlScript<string> {
        const text = `SELECT links FROM gate_settings WHERE ${OF_COMMUNITY}`;
        return String((yield* firstRow(text, [platform, id]))?.links ?? '');
      }),
    communitiesOf: (platform, account) =>
      sql.query(function* () {
        const found = yield* rows(
          `SELECT platform, community FROM gate_member AS member
           WHERE ${OF_ACCOUNT} AND present = 1 AND EXISTS (
             SELECT 1 FROM gate_rule AS rule
             WHERE rule.platform = member.platform AND rule.community = member.community)
           ORDER BY community`,
          [platform, account],
        );
        return found.map(communityOfRow);
      }),
  };
}

/** SQLite has no OFFSET without LIMIT. */
const NO_LIMIT = 2_147_483_647;

/** Pending requests to join. */
export function createJoinRequestTable(sql: SqlRunner): JoinRequestStore {
  const { dialect } = sql;
  return {
    keepJoinRequest: ({ platform, id }, { account, locale, askedAt }, most) =>
      sql.transact(function* (): SqlScript<void> {
        yield* putRow('gate_join_request', {
          platform,
          community: id,
          account,
          locale,
          asked_at: askedAt,
        });
        yield* run(
          `DELETE FROM gate_join_request WHERE ${OF_COMMUNITY} AND account IN (
             SELECT account FROM gate_join_request ${dialect.indexedBy('gate_join_request_age')}
             WHERE ${OF_COMMUNITY} ORDER BY asked_at DESC, account DESC LIMIT ${NO_LIMIT} OFFSET $3)`,
          [platform, id, most],
        );
      }),
    joinRequestOf: ({ platform, id }, account) =>
      sql.query(function* () {
        const text = `SELECT * FROM gate_join_request WHERE ${OF_COMMUNITY} AND account = $3`;
        const row = yield* firstRow(text, [platform, id, account]);
        return row && joinRequestOf(row);
      }),
    endJoinRequest: ({ platform, id }, account) =>
      sql.query(function* (): SqlScript<boolean> {
        const text = `DELETE FROM gate_join_request WHERE ${OF_COMMUNITY} AND account = $3`;
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
           WHERE ${OF_ACCOUNT} ORDER BY community`,
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
        const text = `SELECT count(*) AS n FROM gate_join_request WHERE ${OF_COMMUNITY}`;
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
  const asked = `SELECT account, 0 AS protected FROM gate_join_request WHERE ${OF_COMMUNITY} AND ${which}`;
  const found = yield* withWallets(dialect, asked, values);
  return found.map((each) => ({ ...each, asksToJoin: true }));
}

/**
 * Some accounts of a community, each with its wallets. Rows are arrays, because whole communities
 * are read.
 * @param known SQL that selects `account` and `protected`; $1 is the platform
 */
function* withWallets(
  dialect: Dialect,
  known: string,
  values: readonly unknown[],
): SqlScript<KnownMember[]> {
  const found = yield* arrays(
    `SELECT known.account, known.protected, link.chain, link.address
     FROM (${known}) AS known
     LEFT JOIN link ${dialect.indexedBy('link_account')}
       ON link.platform = $1 AND link.account = known.account
     ORDER BY known.account, link.linked_at, link.address`,
    values,
  );
  return membersOf(found);
}

/** Names by which members of a community can be mentioned. */
export function createUsernameTable(sql: SqlRunner): UsernameStore {
  return {
    noteUsername: ({ platform, id }, account, username, now) =>
      sql.transact(function* (): SqlScript<void> {
        const name = username?.toLowerCase() ?? '';
        yield* run(
          `DELETE FROM gate_username WHERE ${OF_COMMUNITY} AND account = $3 AND username <> $4`,
          [...[platform, id, account, name]],
        );
        if (name === '') return;
        yield* putRow('gate_username', {
          platform,
          community: id,
          username: name,
          account,
          seen_at: now,
        });
      }),
    accountNamed: ({ platform, id }, username) =>
      sql.query(function* (): SqlScript<string | undefined> {
        const text = `SELECT account FROM gate_username WHERE ${OF_COMMUNITY} AND username = $3`;
        const row = yield* firstRow(text, [platform, id, username.toLowerCase()]);
        return row && String(row.account);
      }),
    expireUsernames: (before) =>
      sql.query(function* (): SqlScript<void> {
        yield* run('DELETE FROM gate_username WHERE seen_at < $1', [before]);
      }),
  };
}
