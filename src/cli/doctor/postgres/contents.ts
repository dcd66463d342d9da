import { type CheckFinding, ok } from '#base';
import { dataFinding } from '#cli/doctor/data';
import { size } from '#cli/size';
import { DEAD_AFTER_SECONDS } from '#cluster';
import { SCHEMA } from '#storage/postgres';
import type { SelectRow } from './read-only-session.ts';

/** These checks need the latest schema. */

/** The live replicas, each once whatever its parts, and what they say. */
export async function liveReplicas(
  select: SelectRow,
): Promise<{ readonly live: number; readonly notices: readonly string[] }> {
  const { live, notices } = await select(
    `WITH live AS (
       SELECT notices FROM replica
       WHERE id NOT LIKE '%/%' AND seen_at >= clock_timestamp() - make_interval(secs => $1)
     )
     SELECT (SELECT count(*) FROM live) AS live, ARRAY(SELECT unnest(notices) FROM live) AS notices`,
    [DEAD_AFTER_SECONDS],
  );
  return { live: Number(live), notices: Array.isArray(notices) ? notices.map(String) : [] };
}

export async function checkSize(select: SelectRow): Promise<CheckFinding> {
  const { bytes } = await select(
    `SELECT sum(pg_total_relation_size(pg_class.oid))::bigint AS bytes
     FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE nspname = $1 AND relkind = 'r'`,
    [SCHEMA],
  );
  return ok('size', size(Number(bytes)));
}

export async function checkData(select: SelectRow): Promise<CheckFinding> {
  const { wallets, activities, imported } = await select(
    `SELECT (SELECT count(*) FROM wallet
         LEFT JOIN scored_wallet AS scored ON scored.wallet = wallet.id
           AND edition = (SELECT number FROM edition WHERE state = 'live')
         WHERE wallet.activities + coalesce(scored.activities, 0) > 0) AS wallets,
       (SELECT max(seq) FROM activity) AS activities,
       (SELECT max(committed_at) FROM batch) AS imported`,
  );
  const lastImportAt = imported === null ? undefined : Number(imported);
  return dataFinding(Number(wallets), Number(activities), lastImportAt);
}
