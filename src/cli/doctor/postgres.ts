import { type CheckFinding, fail, messageOf, ok, wallSeconds, warn } from '#base';
import { size } from '#cli/format';
import { clockFault, DEAD_AFTER_SECONDS } from '#cluster';
import { HOW_TO_TAKE_OVER, isBeforeBaseline, newestVersion } from '#storage';
import {
  CONNECTIONS_PER_REPLICA,
  connectSession,
  HALF_RESTORED,
  LEFT_OVER,
  PUT_ASIDE_SQL,
  SCHEMA,
} from '#storage/postgres';
import { MIGRATIONS } from '#storage/tables';
import { checkTransport, dataFinding, newestSchemaFinding } from './database.ts';

export interface PostgresReport {
  readonly findings: readonly CheckFinding[];
  /** Number of live replicas; 0 if unknown. */
  readonly replicas: number;
  /** What the live replicas say to each other. */
  readonly notices: readonly string[];
  /** How much data there is; undefined if unknown. */
  readonly data?: CheckFinding;
}

/** Checks a Postgres database without changing it. */
export async function checkPostgres(url: string): Promise<PostgresReport> {
  try {
    return await inReadOnlySession(url, lookAround);
  } catch (error) {
    return { findings: [fail('database', messageOf(error))], replicas: 0, notices: [] };
  }
}

async function lookAround(select: SelectRow): Promise<PostgresReport> {
  const server = await checkServer(select);
  // Nothing else matters on a server that has to be replaced.
  if (server.level !== 'ok') return { findings: [server], replicas: 0, notices: [] };
  const schema = await checkSchema(select);
  const findings = [server, schema.finding, ...(await checkSettings(select))];
  findings.push(await checkConnections(select), await checkEncryption(select));
  findings.push(...(await checkClock(select)));
  if (!schema.isNewest) return { findings, replicas: 0, notices: [] };
  const { live, notices } = await liveReplicas(select);
  findings.push(ok('replicas', `${live} live`), await checkSize(select));
  return { findings, replicas: live, notices, data: await checkData(select) };
}

const LEAST_VERSION = 15;

/** Whether the server meets the requirements. */
async function checkServer(select: SelectRow): Promise<CheckFinding> {
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
async function checkSettings(select: SelectRow): Promise<CheckFinding[]> {
  const settings = await select(
    `SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes`,
  );
  const off = Object.keys(settings).filter((name) => settings[name] === 'off');
  if (off.length === 0) return [];
  const text = `${off.join(' and ')} ${off.length === 1 ? 'is' : 'are'} off: a power failure may corrupt the database. Turn it on.`;
  return [warn('durability', text)];
}

async function checkClock(select: SelectRow): Promise<CheckFinding[]> {
  const { at } = await select('SELECT extract(epoch FROM clock_timestamp())::float8 AS at');
  const fault = clockFault(wallSeconds() - Number(at));
  if (fault === undefined) return [];
  const text = `${fault}: a service here takes nothing away. Let both machines keep their time by NTP.`;
  return [warn('clock', text)];
}

async function checkConnections(select: SelectRow): Promise<CheckFinding> {
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

async function checkEncryption(select: SelectRow): Promise<CheckFinding> {
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

interface SchemaCheck {
  readonly finding: CheckFinding;
  /** Whether its contents can be queried. */
  readonly isNewest: boolean;
}

/** Whether the tables exist and are writable. */
async function checkSchema(select: SelectRow): Promise<SchemaCheck> {
  const { version, worksFrom, isForeign } = await schemaState(select);
  if (isForeign) return { finding: foreign(), isNewest: false };
  const known = newestVersion(MIGRATIONS.postgres);
  const { may_make, may_change, may_write } = await rightsOf(select);
  const subject = 'schema';
  const seen = (finding: CheckFinding, isNewest = false): SchemaCheck => ({ finding, isNewest });
  const { is_there: isAside } = await select(PUT_ASIDE_SQL);
  if (version === 0) {
    if (isAside === true) return seen(fail(subject, HALF_RESTORED));
    if (may_make === true) {
      return seen(
        warn(subject, 'not created yet. The next start, or "fathom import FILE", creates it.'),
      );
    }
    const text = "not created yet, and this user can't create it. Grant it CREATE on the database.";
    return seen(fail(subject, text));
  }
  if (worksFrom > known) {
    const text = `version ${version}, created by a newer Fathom; this one supports ${known}. Update Fathom.`;
    return seen(fail(subject, text));
  }
  if (isBeforeBaseline(MIGRATIONS.postgres, version)) {
    const text = `version ${version}, created before Fathom 0.1.0, which can't migrate it: ${HOW_TO_TAKE_OVER}`;
    return seen(fail(subject, text));
  }
  if (may_write !== true) {
    const text = `this user can't write to the schema ${SCHEMA}. Use its owner in DATABASE_URL.`;
    return seen(fail(subject, text));
  }
  if (version > known) {
    const text = `version ${version}, created by a newer Fathom but compatible with this one. Update Fathom.`;
    return seen(warn(subject, text), true);
  }
  if (version === known) {
    const finding = newestSchemaFinding(version, await columnsOf(select), 'postgres');
    const isNewest = finding.level === 'ok';
    return seen(isNewest && isAside === true ? warn(subject, LEFT_OVER) : finding, isNewest);
  }
  if (may_change === true) {
    return seen(warn(subject, `version ${version}; the next start migrates it to ${known}`));
  }
  const text = `version ${version}, and this user can't migrate it to ${known}. Use its owner in DATABASE_URL.`;
  return seen(fail(subject, text));
}

function foreign(): CheckFinding {
  const text = `another program has a schema "${SCHEMA}" here. Use another database in DATABASE_URL.`;
  return fail('schema', text);
}

interface SchemaState {
  /** Number of applied migrations; 0 if there is no Fathom schema. */
  readonly version: number;
  /** The lowest schema version a program must know to work with it. */
  readonly worksFrom: number;
  readonly isForeign: boolean;
}

async function schemaState(select: SelectRow): Promise<SchemaState> {
  const { is_ours, tables } = await select(
    `SELECT to_regclass('${SCHEMA}.schema_version') IS NOT NULL AS is_ours,
       (SELECT count(*) FROM pg_tables WHERE schemaname = $1) AS tables`,
    [SCHEMA],
  );
  if (is_ours !== true) return { version: 0, worksFrom: 0, isForeign: Number(tables) > 0 };
  const { version, works_from } = await select(
    `SELECT coalesce(max(version), 0) AS version, coalesce(max(works_from), 0) AS works_from
     FROM ${SCHEMA}.schema_version`,
  );
  return { version: Number(version), worksFrom: Number(works_from), isForeign: false };
}

async function columnsOf(select: SelectRow): Promise<ReadonlySet<string>> {
  const { columns } = await select(
    `SELECT array_agg(relname || '.' || attname) AS columns
     FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
     WHERE relnamespace = to_regnamespace($1) AND relkind = 'r' AND attnum > 0 AND NOT attisdropped`,
    [SCHEMA],
  );
  return new Set(Array.isArray(columns) ? columns.map(String) : []);
}

function rightsOf(select: SelectRow): ReturnType<SelectRow> {
  return select(
    `SELECT has_database_privilege(current_database(), 'CREATE') AS may_make,
       (SELECT has_schema_privilege(oid, 'CREATE') FROM pg_namespace WHERE nspname = $1) AS may_change,
       (SELECT bool_and(has_table_privilege(pg_class.oid, 'INSERT')
          AND has_table_privilege(pg_class.oid, 'UPDATE')
          AND has_table_privilege(pg_class.oid, 'DELETE'))
        FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = $1 AND relkind = 'r') AS may_write`,
    [SCHEMA],
  );
}

/** These checks need the latest schema. */

/** The live replicas, each once whatever its parts, and what they say. */
async function liveReplicas(
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

async function checkSize(select: SelectRow): Promise<CheckFinding> {
  const { bytes } = await select(
    `SELECT sum(pg_total_relation_size(pg_class.oid))::bigint AS bytes
     FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE nspname = $1 AND relkind = 'r'`,
    [SCHEMA],
  );
  return ok('size', size(Number(bytes)));
}

async function checkData(select: SelectRow): Promise<CheckFinding> {
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

const PATIENCE_MS = 5_000;

/** Runs a query. @returns the first row */
type SelectRow = (
  sql: string,
  values?: readonly unknown[],
) => Promise<Readonly<Record<string, unknown>>>;

/**
 * Queries a database in a read-only transaction.
 * @throws UserError, RetryableError
 */
async function inReadOnlySession<T>(
  url: string,
  look: (select: SelectRow) => Promise<T>,
): Promise<T> {
  const connection = await connectSession(url, { answerMs: PATIENCE_MS });
  try {
    await connection.rows('BEGIN READ ONLY');
    return await look(async (sql, values) => (await connection.rows(sql, values))[0] ?? {});
  } finally {
    await connection.close();
  }
}
