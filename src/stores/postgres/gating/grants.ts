import type { Grant } from '#core/gating/grant';
import type { Community } from '#core/gating/rule';
import type { GateStore } from '#core/gating/store';
import { GRANT_COLUMNS, grantOf } from '#stores/gating/rows';
import type { Database, Queries } from '#stores/postgres/database';
import { retryConflicts } from '#stores/postgres/retry-conflicts';
import { chunksOf, unnestColumns } from '#stores/postgres/unnest';

/** What is remembered about members per rule. */
export function createGrantTable(
  db: Database,
): Pick<GateStore, 'grantsOf' | 'putGrants' | 'holdersAfter'> {
  return {
    async grantsOf({ platform, id }, accounts) {
      const rows = await db.arrays(
        `SELECT ${GRANT_COLUMNS} FROM gate_grant
         WHERE platform = $1 AND community = $2 AND account = ANY ($3) ORDER BY account, rule`,
        [platform, id, accounts],
      );
      return rows.map(grantOf);
    },
    putGrants: (community, grants) =>
      retryConflicts(() =>
        db.transaction(async (queries) => {
          const sorted = grants.toSorted(inOrder);
          for (const part of chunksOf(sorted)) await writeGrants(queries, community, part);
        }),
      ),
    async holdersAfter({ platform, id }, rules, after, limit) {
      const rows = await db.rows(
        `SELECT DISTINCT account FROM gate_grant
         WHERE platform = $1 AND community = $2 AND rule = ANY ($3)
           AND holds IN ('ours', 'theirs') AND account > $4
         ORDER BY account LIMIT $5`,
        [platform, id, rules, after, limit],
      );
      return rows.map(({ account }) => String(account));
    },
  };
}

/** Always in the same order, so that concurrent writers of the same rows don't deadlock. */
function inOrder(a: Grant, b: Grant): number {
  return compare(a.account, b.account) || compare(a.rule, b.rule);
}

function compare(a: string, b: string): number {
  return Number(a > b) - Number(a < b);
}

/**
 * Writes grants, all or none, except those of deleted rules: a later rule may get the same id, and
 * must start without grants. So rules can't be deleted concurrently.
 */
export async function writeGrants(
  db: Queries,
  { platform, id }: Community,
  grants: readonly Grant[],
): Promise<void> {
  const rules = [...new Set(grants.map(({ rule }) => rule))];
  await db.run(
    `WITH live AS MATERIALIZED (
       SELECT id FROM gate_rule WHERE platform = $1 AND community = $2 AND id = ANY ($3)
       ORDER BY id FOR KEY SHARE)
     INSERT INTO gate_grant (platform, community, ${GRANT_COLUMNS})
     SELECT DISTINCT ON (account, rule) $1, $2, ${GRANT_COLUMNS} FROM unnest(
       $4::text[], $5::text[], $6::text[], $7::integer[], $8::bigint[], $9::bigint[], $10::bigint[],
       $11::bigint[], $12::bigint[]
     ) WITH ORDINALITY AS written (${GRANT_COLUMNS}, place)
     JOIN live ON live.id = rule
     ORDER BY account, rule, place DESC
     ON CONFLICT (platform, account, community, rule) DO UPDATE SET
       holds = excluded.holds, lacks = excluded.lacks, first_lack_at = excluded.first_lack_at,
       last_lack_at = excluded.last_lack_at, warned_at = excluded.warned_at,
       due_at = excluded.due_at, joined_at = excluded.joined_at`,
    [
      platform,
      id,
      rules,
      ...unnestColumns(
        grants,
        ({ rule }) => rule,
        ({ account }) => account,
        ({ holds }) => holds,
        ({ lacks }) => lacks,
        ({ firstLackAt }) => firstLackAt,
        ({ lastLackAt }) => lastLackAt,
        ({ warnedAt }) => warnedAt,
        ({ dueAt }) => dueAt,
        ({ joinedAt }) => joinedAt,
      ),
    ],
  );
}
