import type { Community, GateStore, Grant } from '#gating';
import { insertInto } from '#storage/sql/insert';
import { arrays, type Dialect, rows, type SqlRunner, type SqlScript } from '#storage/sql/script';
import { GRANT_COLUMNS, grantOf } from './rows.ts';

const ITS = 'platform = $1 AND community = $2';

/** What is remembered about members per rule. */
export function createGrantTable(
  sql: SqlRunner,
): Pick<GateStore, 'grantsOf' | 'putGrants' | 'holdersAfter'> {
  const { dialect } = sql;
  return {
    grantsOf: ({ platform, id }, accounts) =>
      sql.query(function* (): SqlScript<Grant[]> {
        const found = yield* arrays(
          `SELECT ${GRANT_COLUMNS} FROM gate_grant
           WHERE ${ITS} AND ${dialect.isIn('account', '$3')}`,
          [platform, id, accounts],
        );
        return found.map(grantOf);
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
           WHERE ${ITS} AND ${dialect.isIn('rule', '$3')}
             AND holds IN ('ours', 'theirs') AND account > $4 ORDER BY account LIMIT $5`,
          [platform, id, rules, after, limit],
        );
        return found.map(({ account }) => String(account));
      }),
  };
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
    const { rule, account, holds, lacks, firstLackAt, lastLackAt, warnedAt, dueAt } = grant;
    const standing = [firstLackAt, lastLackAt, warnedAt, dueAt, grant.joinedAt];
    return [platform, id, rule, account, holds, lacks, ...standing];
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
    `SELECT id FROM gate_rule WHERE ${ITS} AND ${dialect.isIn('id', '$3')}
     ORDER BY id ${dialect.forKeyShare}`,
    [platform, id, ids],
  );
  return new Set(found.map((row) => String(row.id)));
}
