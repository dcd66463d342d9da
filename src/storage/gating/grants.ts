import {
  type BarredGrant,
  type BarStore,
  type Community,
  ENTRY,
  type GateStore,
  type Grant,
  type MemberBar,
  type MemberRefusal,
  type RefusalStore,
} from '#gating';
import {
  arrays,
  type Dialect,
  firstRow,
  insertInto,
  OF_COMMUNITY,
  putRow,
  type Row,
  rows,
  run,
  type SqlRunner,
  type SqlScript,
} from '#storage/sql/script';
import { addToAudit } from './audit.ts';
import {
  barOf,
  communityOfRow,
  formerNamesOf,
  GRANT_COLUMNS,
  grantOf,
  memberRefusalOf,
  nullableText,
} from './rows.ts';

/** What is remembered about members per rule. */
export function createGrantTable(
  sql: SqlRunner,
): Pick<GateStore, 'grantsOf' | 'recordsOf' | 'putGrants' | 'holdersAfter'> {
  const { dialect } = sql;
  return {
    grantsOf: (community, accounts) => sql.query(() => grantsOf(dialect, community, accounts)),
    recordsOf: (community, accounts) =>
      sql.query(function* () {
        const grants = yield* grantsOf(dialect, community, accounts);
        const bars = yield* barsOf(dialect, community, accounts);
        return { grants, bars, refusals: yield* refusalsOf(dialect, community, accounts) };
      }),
    putGrants: (community, grants) =>
      sql.transact(function* (): SqlScript<void> {
        const rules = new Set(grants.map(({ rule }) => rule));
        const live = yield* holdRules(dialect, community, [...rules]);
        yield* writeGrants(dialect, community, grants, live);
      }),
    holdersAfter: ({ platform, id }, rules, after, limit) =>
      sql.query(function* (): SqlScript<string[]> {
        const found = yield* rows(
          `SELECT DISTINCT account FROM gate_grant ${dialect.indexedBy('gate_grant_rule')}
           WHERE ${OF_COMMUNITY} AND ${dialect.isIn('rule', '$3')}
             AND holds IN ('ours', 'theirs') AND account > $4 ORDER BY account LIMIT $5`,
          [platform, id, rules, after, limit],
        );
        return found.map(({ account }) => String(account));
      }),
  };
}

function* grantsOf(
  dialect: Dialect,
  { platform, id }: Community,
  accounts: readonly string[],
): SqlScript<Grant[]> {
  const found = yield* arrays(
    `SELECT ${GRANT_COLUMNS} FROM gate_grant
     WHERE ${OF_COMMUNITY} AND ${dialect.isIn('account', '$3')} ORDER BY account, rule`,
    [platform, id, accounts],
  );
  return found.map(grantOf);
}

const INTO_GRANTS = insertInto(
  'gate_grant',
  ['platform', 'community', ...GRANT_COLUMNS.split(', ')],
  'replaces',
);

/**
 * Writes grants within a transaction, except those of deleted rules: a later rule may get the same
 * id, and must start without grants.
 * @param live ids of rules that are held
 */
export function* writeGrants(
  dialect: Dialect,
  { platform, id }: Community,
  grants: readonly Grant[],
  live: ReadonlySet<string>,
): SqlScript<void> {
  const kept = grants.filter(({ rule }) => live.has(rule));
  const rowOf = (grant: Grant) => {
    const { rule, account, ownership, lacks, firstLackAt, lastLackAt, warnedAt, dueAt } = grant;
    const standing = [firstLackAt, lastLackAt, warnedAt, dueAt, grant.joinedAt];
    return [platform, id, rule, account, ownership, lacks, ...standing];
  };
  if (kept.length > 0) yield* dialect.insert(INTO_GRANTS, kept.map(rowOf));
}

/** Rules can't be deleted before this transaction ends. @returns the ids of those that exist */
export function* holdRules(
  dialect: Dialect,
  { platform, id }: Community,
  ids: readonly string[],
): SqlScript<ReadonlySet<string>> {
  const found = yield* rows(
    `SELECT id FROM gate_rule WHERE ${OF_COMMUNITY} AND ${dialect.isIn('id', '$3')}
     ORDER BY id ${dialect.forKeyShare}`,
    [platform, id, ids],
  );
  return new Set(found.map((row) => String(row.id)));
}

/** Members whom moderators have barred from what rules grant. */
export function createBarTable(sql: SqlRunner): BarStore {
  const { dialect } = sql;
  const list = (which: string, values: readonly unknown[]) =>
    sql.query(function* (): SqlScript<MemberBar[]> {
      return (yield* rows(`SELECT * FROM gate_bar WHERE ${OF_COMMUNITY} ${which}`, values)).map(
        barOf,
      );
    });
  return {
    barsOf: (community, accounts) => sql.query(() => barsOf(dialect, community, accounts)),
    barsIn: ({ platform, id }, limit) =>
      list('ORDER BY barred_at DESC, account, grant_id LIMIT $3', [platform, id, limit]),
    barsOn: ({ platform, id }, grants) =>
      list(`AND ${dialect.isIn('grant_id', '$3')} ORDER BY barred_at DESC, account, grant_id`, [
        platform,
        id,
        grants,
      ]),
    barredGrants: ({ platform, id }) =>
      sql.query(function* (): SqlScript<BarredGrant[]> {
        const text = `SELECT grant_id, max(grant_name) AS name, max(former_names) AS former_names
          FROM gate_bar WHERE ${OF_COMMUNITY} GROUP BY grant_id ORDER BY grant_id`;
        const found = yield* rows(text, [platform, id]);
        return found.map(barredGrantOf);
      }),
    countBars: ({ platform, id }) =>
      sql.query(function* (): SqlScript<number> {
        const text = `SELECT count(*) AS n FROM gate_bar WHERE ${OF_COMMUNITY}`;
        return Number((yield* firstRow(text, [platform, id]))?.n);
      }),
    withBars: () =>
      sql.query(function* (): SqlScript<Community[]> {
        const text =
          'SELECT DISTINCT platform, community FROM gate_bar ORDER BY platform, community';
        return (yield* rows(text)).map(communityOfRow);
      }),
    copyBars: ({ platform, id }, from, to) =>
      sql.transact(function* (): SqlScript<void> {
        yield* run(
          `${COPY_BARS} AND grant_id = $3 ORDER BY account ${dialect.forUpdate} ${UNLESS_THERE}`,
          [platform, id, from, to.grant, to.name],
        );
      }),
    moveBars: ({ platform, id }, bars, to) =>
      sql.transact(function* (): SqlScript<void> {
        for (const { bar, row } of inOrder(bars)) {
          const { account, grant } = bar;
          yield* run(`${MOVE_BARS} AND grant_id = $3 AND account = $6 ${OR_ITS_ORIGIN}`, [
            ...[platform, id, grant, to.grant, to.name, account, formerNames(bar, to.name)],
          ]);
          const moved = yield* run(
            `DELETE FROM gate_bar WHERE ${OF_COMMUNITY} AND grant_id = $3 AND account = $4`,
            [platform, id, grant, account],
          );
          if (moved > 0) yield* addToAudit(dialect, [row]);
        }
      }),
    putBars: (community, bars) =>
      sql.transact(function* (): SqlScript<void> {
        for (const { bar, row } of inOrder(bars)) {
          if (yield* put(community, bar)) yield* addToAudit(dialect, [row]);
        }
      }),
    keepBar: ({ platform, id }, account, grant, row) =>
      sql.transact(function* (): SqlScript<void> {
        const kept = yield* run(
          `UPDATE gate_bar SET gone = 0 WHERE ${OF_COMMUNITY} AND account = $3 AND grant_id = $4 AND gone = 1`,
          [platform, id, account, grant],
        );
        if (kept > 0) yield* addToAudit(dialect, [row]);
      }),
    liftBar: ({ platform, id }, account, grant, row) =>
      sql.transact(function* (): SqlScript<boolean> {
        const lifted = yield* run(
          `DELETE FROM gate_bar WHERE ${OF_COMMUNITY} AND account = $3 AND grant_id = $4`,
          [platform, id, account, grant],
        );
        if (lifted > 0) yield* addToAudit(dialect, [row]);
        return lifted > 0;
      }),
  };
}

function* barsOf(
  dialect: Dialect,
  { platform, id }: Community,
  accounts: readonly string[],
): SqlScript<MemberBar[]> {
  const found = yield* rows(
    `SELECT * FROM gate_bar
     WHERE ${OF_COMMUNITY} AND ${dialect.isIn('account', '$3')} ORDER BY account, grant_id`,
    [platform, id, accounts],
  );
  return found.map(barOf);
}

/** With a role and its name in place of the bars' own. */
const COPY_BARS = barsWith('CAST(NULL AS text)', 'CAST(NULL AS text)');
/** The same, with what they were on first, and all that it was called. */
const MOVE_BARS = barsWith('coalesce(origin, grant_id)', 'CAST($7 AS text)');
const IF_THERE = 'ON CONFLICT (platform, account, community, grant_id) DO';
const UNLESS_THERE = `${IF_THERE} NOTHING`;
/** One that exists stays as it is, but lifting it takes the rights to lift both. */
const OR_ITS_ORIGIN = `${IF_THERE} UPDATE SET origin = coalesce(gate_bar.origin, excluded.origin),
  former_names = coalesce(gate_bar.former_names, excluded.former_names)`;

function barsWith(origin: string, formerNames: string): string {
  return `
    INSERT INTO gate_bar
      (platform, account, community, grant_id, grant_name, barred_at, renewed_at, by_account, gone, origin,
       former_names)
    SELECT platform, account, community, CAST($4 AS text), CAST($5 AS text), barred_at, renewed_at,
      by_account, 0, ${origin}, ${formerNames}
    FROM gate_bar WHERE ${OF_COMMUNITY}`;
}

/** Former names of a role that are kept; of more, the last ones. */
const FORMER_MAX = 20;

/** What a bar's role was called before it was called so, as it's stored. */
function formerNames(
  { name, formerNames: before = [] }: BarredGrant,
  now: string,
): string | undefined {
  const all = new Set([...before, ...(name === undefined ? [] : [name])]);
  all.delete(now);
  return all.size === 0 ? undefined : JSON.stringify([...all].slice(-FORMER_MAX));
}

/** @param role with its platform and community */
export function* renameBars(
  role: readonly [string, string, string],
  name: string,
): SqlScript<void> {
  const found = yield* rows(
    `SELECT DISTINCT grant_id, grant_name AS name, former_names FROM gate_bar
     WHERE ${OF_COMMUNITY} AND grant_id = $3 AND coalesce(grant_name, '') <> $4`,
    [...role, name],
  );
  for (const row of found) {
    yield* run(
      `UPDATE gate_bar SET grant_name = $4, former_names = $5
       WHERE ${OF_COMMUNITY} AND grant_id = $3 AND coalesce(grant_name, '') = $6 AND coalesce(former_names, '') = $7`,
      [
        ...role,
        name,
        // Only roles move to others of a name; a group's former titles would be kept for nothing.
        role[2] === ENTRY ? undefined : formerNames(barredGrantOf(row), name),
        row.name ?? '',
        row.former_names ?? '',
      ],
    );
  }
}

function barredGrantOf(row: Row): BarredGrant {
  return {
    grant: String(row.grant_id),
    name: nullableText(row.name),
    ...(row.former_names !== null && { formerNames: formerNamesOf(row) }),
  };
}

/** Always the same, so that concurrent writers of the same rows don't deadlock. */
function inOrder<T extends { readonly bar: MemberBar }>(bars: readonly T[]): readonly T[] {
  const keyOf = ({ bar }: T) => `${bar.account} ${bar.grant}`;
  return bars.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** What other bars on the same role remember. */
const OTHERS_FORMER_NAMES = `(SELECT max(others.former_names) FROM gate_bar AS others
  WHERE others.platform = $1 AND others.community = $3 AND others.grant_id = $4)`;

/** @returns whether it's new, or has only now got an author */
function* put({ platform, id }: Community, bar: MemberBar): SqlScript<boolean> {
  const key = [platform, bar.account, id, bar.grant];
  const added = yield* run(
    `INSERT INTO gate_bar
       (platform, account, community, grant_id, barred_at, by_account, gone, grant_name, former_names)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, ${OTHERS_FORMER_NAMES}) ${UNLESS_THERE}`,
    [...key, bar.at, bar.by, Number(bar.isGone), bar.name],
  );
  if (added > 0) return true;
  const thisBar = 'platform = $1 AND account = $2 AND community = $3 AND grant_id = $4';
  yield* run(`UPDATE gate_bar SET gone = $5 WHERE ${thisBar}`, [...key, Number(bar.isGone)]);
  if (bar.by === undefined) return false;
  const text = `UPDATE gate_bar SET by_account = $5, barred_at = $6 WHERE ${thisBar} AND by_account IS NULL`;
  if ((yield* run(text, [...key, bar.by, bar.at])) > 0) return true;
  yield* run(
    `UPDATE gate_bar SET renewed_at = $5
     WHERE ${thisBar} AND coalesce(renewed_at, barred_at) < $5`,
    [...key, bar.at],
  );
  return false;
}

/** What the platform refuses for one member alone. */
export function createRefusalTable(sql: SqlRunner): RefusalStore {
  const { dialect } = sql;
  return {
    refusalsOf: (community, accounts) => sql.query(() => refusalsOf(dialect, community, accounts)),
    putRefusal: ({ platform, id }, { account, grant, code, at }) =>
      sql.query(() =>
        putRow('gate_refusal', {
          platform,
          account,
          community: id,
          grant_id: grant,
          code,
          refused_at: at,
        }),
      ),
    endRefusals: (community, account) => sql.query(() => endRefusals(community, account)),
  };
}

function* refusalsOf(
  dialect: Dialect,
  { platform, id }: Community,
  accounts: readonly string[],
): SqlScript<MemberRefusal[]> {
  const found = yield* rows(
    `SELECT * FROM gate_refusal
     WHERE ${OF_COMMUNITY} AND ${dialect.isIn('account', '$3')} ORDER BY account, grant_id`,
    [platform, id, accounts],
  );
  return found.map(memberRefusalOf);
}

/** @returns whether there were any */
export function* endRefusals({ platform, id }: Community, account: string): SqlScript<boolean> {
  const text = `DELETE FROM gate_refusal WHERE ${OF_COMMUNITY} AND account = $3`;
  return (yield* run(text, [platform, id, account])) > 0;
}
