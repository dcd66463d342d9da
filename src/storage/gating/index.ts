import type { Account } from '#command';
import type { GateStore, GatingRecord } from '#gating';
import {
  arrays,
  type Dialect,
  OF_ACCOUNT,
  type Row,
  rows,
  run,
  type SqlRunner,
  type SqlScript,
} from '#storage/sql/script';
import { createAuditTable } from './audit.ts';
import { createBarTable, createGrantTable, createRefusalTable } from './grants.ts';
import { createMarkTable, markOf } from './marks.ts';
import { createJoinRequestTable, createMemberTable, createUsernameTable } from './members.ts';
import { createMoves } from './moves.ts';
import {
  auditRowOf,
  barOf,
  communityOfRow,
  GRANT_COLUMNS,
  grantOf,
  joinRequestRecordOf,
} from './rows.ts';
import { createRuleTables } from './rules.ts';
import { createChangeTable, createRunTable } from './runs.ts';

export { stampCommunitiesOf } from './moves.ts';

/**
 * Communities' rules and their results, in their own tables. Transactions that lock rows of several
 * tables lock rules first, then runs, changes and grants.
 */
export function createGateStore(sql: SqlRunner): GateStore {
  return {
    ...createRuleTables(sql),
    ...createMoves(sql),
    ...createMemberTable(sql),
    ...createJoinRequestTable(sql),
    ...createUsernameTable(sql),
    ...createBarTable(sql),
    ...createRefusalTable(sql),
    ...createGrantTable(sql),
    ...createMarkTable(sql),
    ...createRunTable(sql),
    ...createChangeTable(sql),
    ...createAuditTable(sql),
  };
}

/** What gating stores about one account; part of other scripts. */
export function* gateRecordOf(
  dialect: Dialect,
  { platform, id }: Account,
): SqlScript<GatingRecord> {
  const { member, joinRequest, username } = tablesOf(dialect);
  const values = [platform, id];
  // A grant may exist for a member who left, or was never seen as a member.
  const communities = yield* rows(
    `SELECT platform, community, max(protected) AS protected, max(locale) AS locale FROM (
       SELECT platform, community, protected, locale FROM ${member} WHERE ${OF_ACCOUNT}
       UNION ALL SELECT platform, community, 0, NULL FROM gate_grant WHERE ${OF_ACCOUNT}
       UNION ALL SELECT platform, community, 0, NULL FROM gate_mark WHERE ${OF_ACCOUNT}
       UNION ALL SELECT platform, community, 0, NULL FROM gate_bar WHERE ${OF_ACCOUNT}) AS known
     GROUP BY platform, community ORDER BY community`,
    values,
  );
  const grants = yield* arrays(
    `SELECT community, ${GRANT_COLUMNS} FROM gate_grant WHERE ${OF_ACCOUNT} ORDER BY community, rule`,
    values,
  );
  const bars = yield* rows(
    `SELECT * FROM gate_bar WHERE ${OF_ACCOUNT} ORDER BY community, grant_id`,
    values,
  );
  const marks = yield* rows(
    `SELECT * FROM gate_mark WHERE ${OF_ACCOUNT} ORDER BY community`,
    values,
  );
  const joinRequests = yield* rows(
    `SELECT * FROM ${joinRequest} WHERE ${OF_ACCOUNT} ORDER BY community`,
    values,
  );
  const usernames = yield* rows(
    `SELECT community, username, seen_at FROM ${username} WHERE ${OF_ACCOUNT} ORDER BY community, username`,
    values,
  );
  const audit = yield* rows(`SELECT * FROM gate_audit WHERE ${OF_ACCOUNT} ORDER BY seq`, values);
  return {
    communities: communities.map((row) => {
      const community = communityOfRow(row);
      const held = grants.filter(([where]) => where === community.id);
      return {
        community,
        isProtected: row.protected === 1,
        ...(row.locale !== null && { locale: String(row.locale) }),
        grants: held.map(([, ...grant]) => grantOf(grant)),
        bars: bars.filter((bar) => bar.community === community.id).map(barOf),
        ...seenIn(marks.find((mark) => mark.community === community.id)),
      };
    }),
    joinRequests: joinRequests.map(joinRequestRecordOf),
    usernames: usernames.map((row) => ({
      community: String(row.community),
      username: String(row.username),
      seenAt: Number(row.seen_at),
    })),
    audit: audit.map(auditRowOf),
  };
}

/** What is announced of a member, without their id and what only programs need. */
function seenIn(row: Row | undefined): Pick<GatingRecord['communities'][number], 'announcing'> {
  if (row === undefined) return {};
  const { tier, badges, had, rise, told, toldBadges } = markOf(row);
  return { announcing: { tier, badges, had, rise, told, toldBadges } };
}

/**
 * Part of other transactions. Bars stay: they are moderators' decisions, which their subject must not be
 * able to lift by starting over.
 */
export function* eraseFromGating(dialect: Dialect, { platform, id }: Account): SqlScript<void> {
  const { member, joinRequest, username } = tablesOf(dialect);
  for (const table of [
    member,
    joinRequest,
    username,
    'gate_change',
    'gate_grant',
    'gate_refusal',
    'gate_mark',
  ]) {
    yield* run(`DELETE FROM ${table} WHERE ${OF_ACCOUNT}`, [platform, id]);
  }
  yield* run(`UPDATE gate_audit SET account = NULL, detail = '' WHERE ${OF_ACCOUNT}`, [
    platform,
    id,
  ]);
}

function tablesOf({ indexedBy }: Dialect) {
  return {
    member: `gate_member ${indexedBy('gate_member_account')}`,
    username: `gate_username ${indexedBy('gate_username_account')}`,
    joinRequest: `gate_join_request ${indexedBy('gate_join_request_account')}`,
  };
}
