import { type Finding, fail, ok, warn } from '#runtime/finding';
import { checkSecrecy } from '../secrecy.ts';
import type { Ask } from './ask.ts';

const LEAST_VERSION = 15;
/** What a replica may open: its pool, and what it listens and follows with. */
const CONNECTIONS_PER_REPLICA = 12;

/** Whether the server itself is fit for it. */
export async function checkServer(ask: Ask): Promise<Finding> {
  const { number, version, encoding, is_copy } = await ask(
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
    const text = `keeps its texts as ${encoding}, which has not all characters. Make one with ENCODING 'UTF8'.`;
    return fail(subject, text);
  }
  if (is_copy === true) {
    const text =
      'is a copy of another server and takes no writes. Name that other one in DATABASE_URL, and this one in DATABASE_READ_URL.';
    return fail(subject, text);
  }
  return ok(subject, `Postgres ${version} answers`);
}

/** What keeps a commit through a crash: https://www.postgresql.org/docs/current/runtime-config-wal.html */
export async function checkSettings(ask: Ask): Promise<Finding[]> {
  const settings = await ask(
    `SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes`,
  );
  const off = Object.keys(settings).filter((name) => settings[name] === 'off');
  if (off.length === 0) return [];
  const text = `${off.join(' and ')} ${off.length === 1 ? 'is' : 'are'} off: a power cut may damage everything. Set it to on.`;
  return [warn('durability', text)];
}

export async function checkConnections(ask: Ask): Promise<Finding> {
  const { most, used } = await ask(
    `SELECT current_setting('max_connections')::int
         - current_setting('superuser_reserved_connections')::int AS most,
       (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS used`,
  );
  // This one is over when it is read.
  const free = Number(most) - Number(used) + 1;
  const subject = 'connections';
  const text = `${Number(used) - 1} of ${most} in use; a replica takes up to ${CONNECTIONS_PER_REPLICA}`;
  if (free >= CONNECTIONS_PER_REPLICA) return ok(subject, text);
  return warn(subject, `${text}: there is no room for one more. Raise max_connections.`);
}

export async function checkEncryption(ask: Ask): Promise<Finding> {
  const { encrypted, address } = await ask(
    `SELECT ssl AS encrypted, host(inet_server_addr()) AS address
     FROM pg_stat_ssl WHERE pid = pg_backend_pid()`,
  );
  const remoteAddress = typeof address === 'string' ? address : undefined;
  return checkSecrecy(
    'connection',
    { encrypted: encrypted === true, remoteAddress },
    'Add ?sslmode=verify-full to DATABASE_URL, and a certificate to the server.',
  );
}
