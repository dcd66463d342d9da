import { messageOf } from '#core/errors';
import { type Finding, fail, ok, warn } from '#runtime/finding';
import { MIGRATIONS } from '#stores/postgres/schema';
import { type Ask, asking } from './ask.ts';
import { schemaState } from './schema.ts';

/** A copy that is further behind shows old figures to whoever looks. */
const FAR_BEHIND_SECONDS = 10;

/** Whether a copy that answers what is only read can do so, and how far behind it is. */
export async function checkCopy(url: string): Promise<Finding> {
  try {
    return await asking(url, lookAtCopy);
  } catch (error) {
    const text = messageOf(error).replaceAll('DATABASE_URL', 'DATABASE_READ_URL');
    return fail('read copy', text);
  }
}

async function lookAtCopy(ask: Ask): Promise<Finding> {
  const subject = 'read copy';
  const { is_copy, behind } = await ask(
    `SELECT pg_is_in_recovery() AS is_copy,
       CASE WHEN EXISTS (SELECT 1 FROM pg_stat_wal_receiver)
           AND pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0
         ELSE extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())
       END::float AS behind`,
  );
  if (is_copy !== true) {
    const text =
      'is no copy but a server of its own. DATABASE_READ_URL is for one that follows DATABASE_URL.';
    return warn(subject, text);
  }
  if ((await schemaState(ask)).version < MIGRATIONS.length) {
    const text =
      "does not hold Fathom's newest schema. Wait until it has followed, or check DATABASE_READ_URL.";
    return warn(subject, text);
  }
  const seconds = Number(behind ?? 0);
  if (seconds <= FAR_BEHIND_SECONDS) return ok(subject, `answers, ${seconds.toFixed(0)} s behind`);
  const text = `is ${seconds.toFixed(0)} s behind. Look at its log, or leave DATABASE_READ_URL out until it has followed.`;
  return warn(subject, text);
}
