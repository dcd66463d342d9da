import { type Logger, ProblemLog, RetryableError, UserError } from '#base';
import { sleep } from '#base/waiting';
import {
  MIGRATIONS,
  type Migration,
  type MigrationPlan,
  newestVersion,
  nextStep,
  requireBaseline,
  sayUpgrade,
} from '#storage/tables/migrations';
import { connectSession, type DedicatedConnection } from './connection.ts';
import { databaseName, SCHEMA } from './database.ts';
import { errorCodeOf, isSchemaMade, translateError } from './errors.ts';

/** The database before a restore, which docs/operate.md puts aside under this name. */
const PUT_ASIDE = 'fathom_before';

/** Whether there is one, as `is_there`. It may be another role's. */
export const PUT_ASIDE_SQL = `
  SELECT EXISTS (
    SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE nspname = '${PUT_ASIDE}' AND relname = 'schema_version'
  ) AS is_there`;

/** Shown if there is no other schema: a new, empty one would pass for the restored one. */
export const HALF_RESTORED = `there is no schema "fathom", but "${PUT_ASIDE}", which was put aside for a restore that isn't over. Run pg_restore again, or bring back what there was: ALTER SCHEMA ${PUT_ASIDE} RENAME TO fathom. To begin with an empty database, rename or drop it.`;

export const LEFT_OVER = `the schema "${PUT_ASIDE}" is left from a restore, with what members have erased since. Once the restored database is what you expect: DROP SCHEMA ${PUT_ASIDE} CASCADE`;

/** The oldest server version that we test, as server_version_num. */
const OLDEST_SERVER = 150_000;
/** How long to wait for another program's migration, and for a table that's in use. */
const PATIENCE_MS = 60_000;
const ASK_AGAIN_MS = 250;
/**
 * What waits for a table makes every later reader of it wait, those of running replicas too, and a dump may hold it
 * for hours: so it waits briefly, and again.
 */
const LOCK_TIMEOUT = '500ms';
const IN_USE = '55P03';
const PAUSE_MS = 1_500;
/** Held while migrating, until the connection closes. */
const LOCK = `hashtextextended('fathom migration', 0)`;

interface State {
  /** 0 for a database without tables. */
  readonly version: number;
  /** The lowest program version that works with it. */
  readonly worksFrom: number;
  /** Whether the schema is Fathom's. */
  readonly isOurs: boolean;
  /** Tables in the schema. */
  readonly tables: number;
}

/**
 * Migrates the database to the newest schema, each step in its own transaction, so that a kill
 * leaves a consistent version behind. If several programs start at once, one of them migrates.
 * @throws UserError `wrong-configuration` for a pooler (see `connectSession`), a server that is too
 * old, a database that isn't in UTF-8, a schema that isn't ours or is too new, or a restore that
 * isn't over; it stays unchanged
 * @throws RetryableError if the database is unavailable, or if another migration takes too long
 */
export async function migrate(
  url: string,
  log: Logger,
  plan: MigrationPlan<Migration> = MIGRATIONS.postgres,
): Promise<void> {
  const name = databaseName(url);
  // Migrations have no deadline; keep-alives detect network faults.
  const connection = await connectSession(url, {
    answerMs: 0,
    settings: {
      lock_timeout: LOCK_TIMEOUT,
      tcp_keepalives_idle: '30',
      tcp_keepalives_interval: '10',
    },
  });
  try {
    await requireServer(connection, name);
    await endWithClient(connection);
    const state = await stateOf(connection);
    requireOurs(state, name, plan);
    if (state.version >= newestVersion(plan)) return;
    await lock(connection, name, log);
    // Another program may have been faster.
    sayUpgrade(log, (await stateOf(connection)).version, newestVersion(plan));
    const waiting = new ProblemLog(log);
    while (await withTables(connection, waiting, () => step(connection, name, plan))) {
      // One by one, each atomic.
    }
  } catch (error) {
    throw translateError(error, name);
  } finally {
    await connection.close();
  }
}

/**
 * Has the server notice within seconds that this program was killed: it would otherwise finish the step for nobody, and
 * the next program would wait for its lock, perhaps for minutes.
 */
async function endWithClient({ client }: DedicatedConnection): Promise<void> {
  // Where the system can't tell, as on Windows, it's refused.
  await client.query(`SET client_connection_check_interval = '1s'`).catch(() => undefined);
}

/**
 * Does it again, from its start, while another transaction holds a table that it needs, or makes the schema as a
 * restore does: once that's over, all is there.
 */
async function withTables<T>(
  { client }: DedicatedConnection,
  waiting: ProblemLog,
  work: () => Promise<T>,
): Promise<T> {
  for (const until = performance.now() + PATIENCE_MS; ; await sleep(PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      const isOver = performance.now() > until;
      if (isOver || !(errorCodeOf(error) === IN_USE || isSchemaMade(error))) throw error;
      await client.query('ROLLBACK');
      if (errorCodeOf(error) !== IN_USE) continue;
      const sentence =
        'waiting to upgrade the database: a long transaction, such as a dump, is using it';
      waiting.report('in use', 'warn', {}, sentence);
    }
  }
}

/** Applies the next migration. @returns whether there was one */
async function step(
  connection: DedicatedConnection,
  name: string,
  plan: MigrationPlan<Migration>,
): Promise<boolean> {
  const { client } = connection;
  // Read again under the lock: another program may have been faster.
  const state = await stateOf(connection);
  requireOurs(state, name, plan);
  const next = nextStep(plan, state.version);
  if (next === undefined) return false;
  // Here, as a restore may have begun while we waited for the lock or a table.
  if (!state.isOurs) await requireNothingAside(connection, name);
  await client.query('BEGIN');
  if (!state.isOurs) {
    await client.query(`
      CREATE SCHEMA IF NOT EXISTS ${SCHEMA};
      CREATE TABLE ${SCHEMA}.schema_version (
        version integer PRIMARY KEY,
        name text NOT NULL,
        works_from integer NOT NULL,
        at timestamptz NOT NULL DEFAULT now()
      )`);
  }
  await client.query(next.step.sql);
  await client.query(
    `INSERT INTO ${SCHEMA}.schema_version (version, name, works_from) VALUES ($1, $2, $3)`,
    [next.to, next.step.name, next.step.worksFrom],
  );
  await client.query('COMMIT');
  return true;
}

/** @throws UserError `wrong-configuration` in the midst of a restore */
async function requireNothingAside(connection: DedicatedConnection, name: string): Promise<void> {
  const [row] = await connection.rows(PUT_ASIDE_SQL);
  if (row?.is_there !== true) return;
  throw new UserError('wrong-configuration', `${name} is half restored: ${HALF_RESTORED}`);
}

async function lock(connection: DedicatedConnection, name: string, log: Logger): Promise<void> {
  const waiting = new ProblemLog(log);
  for (const until = performance.now() + PATIENCE_MS; ; await sleep(ASK_AGAIN_MS)) {
    const [row] = await connection.rows(`SELECT pg_try_advisory_lock(${LOCK}) AS got`);
    if (row?.got === true) return;
    if (performance.now() > until) {
      throw new RetryableError(
        `${name} is still being migrated by another program. Wait until it's done, or stop that.`,
      );
    }
    waiting.report('waiting', 'info', {}, 'waiting for another replica to migrate the database');
  }
}

async function requireServer(connection: DedicatedConnection, name: string): Promise<void> {
  const [row] = await connection.rows(
    `SELECT current_setting('server_version_num')::integer AS version,
            current_setting('server_version') AS spoken,
            (SELECT pg_encoding_to_char(encoding) FROM pg_database
             WHERE datname = current_database()) AS encoding`,
  );
  if (Number(row?.version) < OLDEST_SERVER) {
    throw new UserError(
      'wrong-configuration',
      `${name} is Postgres ${String(row?.spoken)}, which is too old. Upgrade to version 15 or newer.`,
    );
  }
  if (row?.encoding !== 'UTF8') {
    throw new UserError(
      'wrong-configuration',
      `${name} uses the encoding ${String(row?.encoding)}. Create a database with ENCODING 'UTF8', and set DATABASE_URL to it.`,
    );
  }
}

async function stateOf(connection: DedicatedConnection): Promise<State> {
  const [schema] = await connection.rows(
    `SELECT to_regclass('${SCHEMA}.schema_version') IS NOT NULL AS ours,
            (SELECT count(*) FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
             WHERE nspname = '${SCHEMA}' AND relkind IN ('r', 'p', 'v', 'm', 'f')) AS tables`,
  );
  const tables = Number(schema?.tables);
  if (schema?.ours !== true) return { version: 0, worksFrom: 0, isOurs: false, tables };
  const [row] = await connection.rows(
    `SELECT coalesce(max(version), 0) AS version, coalesce(max(works_from), 0) AS works_from
     FROM ${SCHEMA}.schema_version`,
  );
  const version = Number(row?.version);
  return { version, worksFrom: Number(row?.works_from), isOurs: true, tables };
}

function requireOurs(state: State, name: string, plan: MigrationPlan<Migration>): void {
  const known = newestVersion(plan);
  if (!state.isOurs && state.tables > 0) {
    throw new UserError(
      'wrong-configuration',
      `${name} has another program's schema "${SCHEMA}". We left it unchanged; set DATABASE_URL to another database.`,
    );
  }
  if (state.version > known && state.worksFrom > known) {
    throw new UserError(
      'wrong-configuration',
      `${name} was created by a newer Fathom (schema ${state.version}; this one knows ${known}). We left it unchanged; upgrade Fathom, restore a backup from before its upgrade, or set DATABASE_URL to another database.`,
    );
  }
  requireBaseline(plan, state.version, name);
}
