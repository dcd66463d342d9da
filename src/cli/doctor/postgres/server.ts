import { type CheckFinding, fail, ok, warn } from '#base';
import { checkTransport } from '#cli/doctor/transport';
import type { SelectRow } from './read-only-session.ts';

const LEAST_VERSION = 15;
/** Most connections per replica: its pool, plus those that listen and follow. */
const CONNECTIONS_PER_REPLICA = 12;

/** Whether the server meets the requirements. */
export async function checkServer(select: SelectRow): Promise<CheckFinding> {
  const { number, version, encoding, is_copy } = await select(
    `SELECT current_setting('server_version_num')::int AS number,
       current_setting('server_version') AS version,
       pg_encoding_to_char(encoding) AS encoding, pg_is_in_recovery() AS is_copy
     FROM pg_database WHERE datname = current_database()`,
  );
  const subject = 'database';
  if (Number(number) < LEAST_VERSION * 10_000) {
    const text = `is Postgres ${version}; ${LEAST_VERSION} or newer is needed. Update it.`;
    return fail(subject, text);
  }
  if (encoding !== 'UTF8') {
    const text = `is encoded as ${encoding}, which can't store all characters. Create one with ENCODING 'UTF8'.`;
    return fail(subject, text);
  }
  if (is_copy === true) {
    const text =
      'is a read-only standby. Use its primary in DATABASE_URL, and this one in DATABASE_READ_URL.';
    return fail(subject, text);
  }
  return ok(subject, `Postgres ${version} is reachable`);
}

/** Settings that make commits survive a crash: https://www.postgresql.org/docs/current/runtime-config-wal.html */
export async function checkSettings(select: SelectRow): Promise<CheckFinding[]> {
  const settings = await select(
    `SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes`,
  );
  const off = Object.keys(settings).filter((name) => settings[name] === 'off');
  if (off.length === 0) return [];
  const text = `${off.join(' and ')} ${off.length === 1 ? 'is' : 'are'} off: a power failure may corrupt the database. Turn it on.`;
  return [warn('durability', text)];
}

export async function checkConnections(select: SelectRow): Promise<CheckFinding> {
  const { most, used } = await select(
    `SELECT current_setting('max_connections')::int
         - current_setting('superuser_reserved_connections')::int AS most,
       (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS used`,
  );
  // Our own connection closes right after.
  const free = Number(most) - Number(used) + 1;
  const subject = 'connections';
  const text = `${Number(used) - 1} of ${most} in use; a replica takes up to ${CONNECTIONS_PER_REPLICA}`;
  if (free >= CONNECTIONS_PER_REPLICA) return ok(subject, text);
  return warn(subject, `${text}: not enough for another one. Raise max_connections.`);
}

export async function checkEncryption(select: SelectRow): Promise<CheckFinding> {
  const { encrypted, address } = await select(
    `SELECT ssl AS encrypted, host(inet_server_addr()) AS address
     FROM pg_stat_ssl WHERE pid = pg_backend_pid()`,
  );
  const remoteAddress = typeof address === 'string' ? address : undefined;
  return checkTransport(
    'connection',
    { encrypted: encrypted === true, remoteAddress },
    'Add ?sslmode=verify-full to DATABASE_URL, and a certificate to the server.',
  );
}
