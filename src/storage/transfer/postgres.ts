import { hexText, RetryableError, UserError } from '#base';
import { DEAD_AFTER_SECONDS } from '#cluster';
import { connectSession, connect as connectTo } from '#storage/postgres/connection';
import { databaseName, SCHEMA } from '#storage/postgres/database';
import { translateError } from '#storage/postgres/errors';
import { copyIn, copyText } from '#storage/postgres/ledger/batch';
import { settleSums } from '#storage/postgres/ledger/sums';
import { MIGRATIONS, newestVersion } from '#storage/tables/migrations';
import {
  BATCH_ROWS,
  type CellValue,
  MOVED_TABLES,
  notEmpty,
  type StoreContents,
  selectOf,
  type TransferKind,
  type TransferRow,
  type TransferSource,
  type TransferTable,
  type TransferTarget,
} from './endpoint.ts';

/** A batch, a count or a commit takes seconds on a slow disk; a frozen server never answers. */
const ANSWER_MS = 300_000;
const SETTINGS = {
  lock_timeout: '10s',
  // One side waits while the other one works.
  idle_in_transaction_session_timeout: '0',
  tcp_keepalives_idle: '30',
  tcp_keepalives_interval: '10',
  jit: 'off',
};
/** To start between two batches of an import; an attempt takes a thousandth of a batch's time. */
const TRIES = 10;
const TABLE_NAMES = MOVED_TABLES.map(({ name }) => name);

export const postgresEnd: TransferKind = {
  nameOf: databaseName,
  async inspect(url) {
    const connection = await connect(url, connectSession);
    try {
      await requireKnown(connection);
      return await contentsOf(connection);
    } finally {
      await connection[Symbol.asyncDispose]();
    }
  },
  async isServed(url) {
    const connection = await connect(url, connectSession);
    try {
      // Nobody serves from what has no schema yet.
      if (!(await hasTable(connection, 'replica'))) return false;
      const isLive = `seen_at >= clock_timestamp() - make_interval(secs => ${DEAD_AFTER_SECONDS})`;
      const live = `SELECT count(*) FROM ${SCHEMA}.replica WHERE ${isLive}`;
      return (await numberOf(connection, live)) > 0;
    } finally {
      await connection[Symbol.asyncDispose]();
    }
  },
  servedAfterKill: DEAD_AFTER_SECONDS,
  openSource: (url) => opened(url, source),
  openTarget: (url) => opened(url, target),
};

/** A dedicated connection whose errors are translated. */
interface Connection extends AsyncDisposable {
  readonly name: string;
  rows(sql: string, values?: readonly unknown[]): Promise<TransferRow[]>;
  /** @param table with its columns in parentheses */
  copyIn(table: string, rows: readonly TransferRow[]): Promise<void>;
  /** Updates the wallets' sums, which a killed import leaves outdated. */
  settleSums(): Promise<void>;
}

async function connect(url: string, open = connectTo): Promise<Connection> {
  const name = databaseName(url);
  const connection = await open(url, { answerMs: ANSWER_MS, settings: SETTINGS });
  const explained = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw translateError(error, name);
    }
  };
  return {
    name,
    async rows(text, values = []) {
      const query = { text, values: [...values], rowMode: 'array' as const };
      return (await explained(connection.client.query<CellValue[]>(query))).rows;
    },
    copyIn: (table, rows) =>
      explained(copyIn(connection, table, rows.length, (place) => lineOf(rows[place] ?? []))),
    settleSums: () => explained(settleSums(connection)),
    [Symbol.asyncDispose]: () => connection.close(),
  };
}

async function opened<T>(url: string, open: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await connect(url);
  try {
    return await open(connection);
  } catch (error) {
    await connection[Symbol.asyncDispose]();
    throw error;
  }
}

async function source(connection: Connection): Promise<TransferSource> {
  await beginWhole(connection);
  return {
    count: ({ name }) => numberOf(connection, `SELECT count(*) FROM ${name}`),
    rows: (table) => batchesOf(connection, table),
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}

/** Starts a transaction at a moment when the sums are up to date. */
async function beginWhole(connection: Connection): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    await connection.settleSums();
    await connection.rows('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const unsummed = 'SELECT count(*) FROM batch WHERE NOT summed';
    if ((await numberOf(connection, unsummed)) === 0) return;
    // An import was faster.
    await connection.rows('ROLLBACK');
  }
  throw new RetryableError(
    `An import is writing to ${connection.name}. Wait until it's done, then move the store.`,
  );
}

async function target(connection: Connection): Promise<TransferTarget> {
  await connection.rows('BEGIN READ WRITE');
  await connection.rows(`LOCK TABLE ${TABLE_NAMES.join(', ')} IN EXCLUSIVE MODE`);
  if ((await contentsOf(connection)) === 'filled') throw notEmpty(connection.name);
  return {
    rows: (table) => batchesOf(connection, table),
    async write(table, rows) {
      requireStorable(table, rows, connection.name);
      const columns = Object.keys(table.columns);
      const own = table.postgresOnly ?? {};
      const into = `${table.name} (${[...columns, ...Object.keys(own)].join(', ')})`;
      await connection.copyIn(
        into,
        rows.map((row) => [...row, ...Object.values(own)]),
      );
    },
    async commit() {
      await advanceSequences(connection);
      // The first queries arrive before autovacuum would analyze the tables.
      await connection.rows(`ANALYZE ${TABLE_NAMES.join(', ')}`);
      await commit(connection);
    },
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}

async function commit(connection: Connection): Promise<void> {
  try {
    await connection.rows('COMMIT');
  } catch (error) {
    if (!(error instanceof RetryableError)) throw error;
    throw new RetryableError(
      `${error.message} The connection was lost at the very end, so either everything is in or nothing: run the same command again; it starts over, or says that the database isn't empty.`,
      { cause: error },
    );
  }
}

/** A row in COPY's text format. */
function lineOf(row: TransferRow): string {
  return `${row.map(cellOf).join('\t')}\n`;
}

function cellOf(value: CellValue): string {
  if (value === null) return '\\N';
  if (typeof value === 'number') return String(value);
  return copyText(typeof value === 'string' ? value : `\\x${hexText(value)}`);
}

/** A newer schema may have tables that this version would leave behind. */
async function requireKnown(connection: Connection): Promise<void> {
  if (!(await hasTable(connection, 'schema_version'))) return;
  const version = await numberOf(connection, `SELECT max(version) FROM ${SCHEMA}.schema_version`);
  if (version <= newestVersion(MIGRATIONS.postgres)) return;
  throw new UserError(
    'wrong-configuration',
    `${connection.name} was created by a newer Fathom (schema ${version}; this one knows ${newestVersion(MIGRATIONS.postgres)}). We left it unchanged; upgrade Fathom.`,
  );
}

async function hasTable(connection: Connection, name: string): Promise<boolean> {
  const isThere = `SELECT (to_regclass('${SCHEMA}.${name}') IS NOT NULL)::int`;
  return (await numberOf(connection, isThere)) === 1;
}

async function contentsOf(connection: Connection): Promise<StoreContents> {
  const names = await connection.rows('SELECT tablename FROM pg_tables WHERE schemaname = $1', [
    SCHEMA,
  ]);
  const there = new Set(names.map(([name]) => name));
  const tables = TABLE_NAMES.filter((name) => there.has(name));
  if (tables.length === 0) return 'nothing';
  const isFilled = tables.map((name) => `EXISTS (SELECT FROM ${name})`).join(' OR ');
  return (await numberOf(connection, `SELECT (${isFilled})::int`)) === 1 ? 'filled' : 'empty';
}

async function* batchesOf(
  connection: Connection,
  table: TransferTable,
): AsyncGenerator<TransferRow[]> {
  await connection.rows(`DECLARE moving NO SCROLL CURSOR FOR ${selectOf(table)}`);
  const next = () => connection.rows(`FETCH ${BATCH_ROWS} FROM moving`);
  for (let batch = await next(); batch.length > 0; batch = await next()) yield batch;
  await connection.rows('CLOSE moving');
}

/** Ensures that the numbers of moved rows aren't assigned again. */
async function advanceSequences(connection: Connection): Promise<void> {
  const columns = await connection.rows(
    `SELECT table_name, column_name FROM information_schema.columns
     WHERE table_schema = $1 AND is_identity = 'YES' AND table_name = ANY ($2)`,
    [SCHEMA, TABLE_NAMES],
  );
  for (const [table, column] of columns) {
    await connection.rows(
      `SELECT setval(pg_get_serial_sequence('${SCHEMA}.${table}', '${column}'), max(${column}))
       FROM ${table} HAVING max(${column}) IS NOT NULL`,
    );
  }
}

async function numberOf(connection: Connection, sql: string): Promise<number> {
  return Number((await connection.rows(sql))[0]?.[0]);
}

/** @throws UserError `wrong-configuration` */
function requireStorable(
  { name, key, columns }: TransferTable,
  rows: readonly TransferRow[],
  place: string,
): void {
  const isBad = (value: CellValue) => typeof value === 'string' && value.includes('\0');
  const bad = rows.find((row) => row.some(isBad));
  if (bad === undefined) return;
  const names = Object.keys(columns);
  const which = key.map((column) => `${column} ${bad[names.indexOf(column)]}`).join(', ');
  throw new UserError(
    'wrong-configuration',
    `A text in ${name} (${which}) contains the character U+0000, which ${place} can't store. Change it there first.`,
  );
}
