import { type CheckFinding, fail, messageOf, ok, warn } from '#base';
import { newestVersion } from '#storage';
import { MIGRATIONS } from '#storage/tables';
import { inReadOnlySession, type SelectRow } from './read-only-session.ts';
import { schemaState } from './schema.ts';

/** Further behind than this, the copy shows noticeably old data. */
const FAR_BEHIND_SECONDS = 10;

/** Whether the read copy works, and how far it lags behind. */
export async function checkCopy(url: string): Promise<CheckFinding> {
  try {
    return await inReadOnlySession(url, lookAtCopy);
  } catch (error) {
    const text = messageOf(error).replaceAll('DATABASE_URL', 'DATABASE_READ_URL');
    return fail('read copy', text);
  }
}

async function lookAtCopy(select: SelectRow): Promise<CheckFinding> {
  const subject = 'read copy';
  const { is_copy, behind } = await select(
    `SELECT pg_is_in_recovery() AS is_copy,
       CASE WHEN EXISTS (SELECT 1 FROM pg_stat_wal_receiver)
           AND pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0
         ELSE extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())
       END::float AS behind`,
  );
  if (is_copy !== true) {
    const text =
      'is not a standby. DATABASE_READ_URL must name a server that replicates DATABASE_URL.';
    return warn(subject, text);
  }
  if ((await schemaState(select)).version < newestVersion(MIGRATIONS.postgres)) {
    const text =
      "doesn't have Fathom's latest schema. Wait until it has caught up, or check DATABASE_READ_URL.";
    return warn(subject, text);
  }
  const seconds = Number(behind ?? 0);
  if (seconds <= FAR_BEHIND_SECONDS) return ok(subject, `answers, ${seconds.toFixed(0)} s behind`);
  const text = `is ${seconds.toFixed(0)} s behind. Check its log, or unset DATABASE_READ_URL until it has caught up.`;
  return warn(subject, text);
}
