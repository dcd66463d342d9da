import { RetryableError } from '#base';
import { Standings } from '#reputation/standings';
import { applyBatches } from '#storage/following/apply-snapshot';
import { type Follower, type FollowOptions, follow } from '#storage/following/follow';
import {
  batchNameOf,
  headOf,
  headSql,
  type LedgerDialect,
  loadReadModel,
  snapshotOf,
} from '#storage/following/ledger-queries';
import { LedgerPosition, type LoadedLedger, NO_BATCH } from '#storage/following/position';
import { connect, type DedicatedConnection } from '#storage/postgres/connection';
import { translateError } from '#storage/postgres/errors';
import { COMMIT_CHANNEL } from '#storage/postgres/ledger/batch';
import { countUnsummed, settleSums } from '#storage/postgres/ledger/sums';
import { PACKING } from '#storage/postgres/packing';
import type { Reads } from './reads.ts';

/** How often to poll the primary, in case a notification was lost. */
const POLL_MS = 500;

const STATUS_SQL = `
  SELECT newest.id, newest.uid, newest.committed_at,
         (SELECT uid FROM batch WHERE id = $1) AS known_uid
  FROM (SELECT) AS one
  LEFT JOIN (SELECT * FROM batch ORDER BY id DESC LIMIT 1) AS newest ON true`;

interface PostgresFollowOptions extends Pick<FollowOptions, 'start' | 'startedAt' | 'log'> {
  readonly url: string;
  readonly reads: Reads;
}

/** Follows the ledger of the primary. */
export function followPostgres({ url, reads, ...options }: PostgresFollowOptions): Follower {
  const listener = listenForCommits(url, () => follower.pollSoon());
  const follower = follow({
    ...options,
    pollMs: POLL_MS,
    ledger: {
      async status(known) {
        const [row] = await listener.rows(STATUS_SQL, [known]);
        return {
          newest: batchNameOf(row),
          committedAt: Number(row?.committed_at ?? 0),
          knownUid: row?.known_uid == null ? undefined : String(row.known_uid),
        };
      },
      inSnapshot: (since, work) =>
        reads.inSnapshot(since, (ask, head) => work(snapshotOf(ask, head, LEDGER))),
      load: () => loadStandings(url),
      ping: () => listener.rows('SELECT'),
      close: () => listener.close(),
    },
  });
  return follower;
}

/** Detects a frozen server before what is shown counts as stale. */
const ANSWER_MS = 1_500;
/** An address that leads nowhere may have a new server by now. */
const CONNECT_MS = 2_000;

/**
 * A connection to the primary that listens for commits. If it breaks, the next query reconnects.
 */
interface Listener {
  /** Throws RetryableError if the primary is unavailable. */
  rows(sql: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

/** @param onCommit called after each commit */
function listenForCommits(url: string, onCommit: () => void): Listener {
  let current: Promise<DedicatedConnection> | undefined;

  async function open(): Promise<DedicatedConnection> {
    const made = await connect(url, { answerMs: ANSWER_MS, connectMs: CONNECT_MS });
    made.client.on('notification', onCommit);
    try {
      // A read replica rejects LISTEN, so nobody follows a replica in place of its primary.
      await made.rows(`LISTEN ${COMMIT_CHANNEL}`);
      return made;
    } catch (error) {
      void made.close();
      throw error;
    }
  }

  function drop(which: Promise<DedicatedConnection>): void {
    if (current === which) current = undefined;
    which.then((each) => each.close()).catch(() => undefined);
  }

  async function ask(sql: string, values?: readonly unknown[]) {
    current ??= open();
    const used = current;
    try {
      return await (await used).rows(sql, values);
    } catch (error) {
      // Either the query or the connection failed: reconnecting costs little.
      drop(used);
      throw error;
    }
  }

  /** The previous query's; a connection runs one at a time. */
  let answered: Promise<unknown> = Promise.resolve();

  return {
    rows(sql, values) {
      const answer = answered.then(() => ask(sql, values));
      answered = answer.catch(() => undefined);
      return answer;
    },
    async close() {
      await current?.then((each) => each.close()).catch(() => undefined);
      current = undefined;
    },
  };
}

/** Rows applied one by one; if there are more, the sums are updated first. */
const TAIL_MAX = 1_000_000;
const SETTLE_MS = 120_000;
/** Many times longer than a batch of an import takes. */
const SETTLE_SETTINGS = { lock_timeout: '5s' };
/** A step reads tens of thousands of rows, possibly from a cold disk. */
const LOAD_MS = 60_000;
const SETTINGS = {
  work_mem: '64MB',
  jit: 'off',
  // Makes steps that follow an index keep doing so however large the table seems.
  enable_sort: 'off',
};

const LEDGER: LedgerDialect = {
  packing: PACKING,
  isIn: (column, list) => `${column} = ANY (${list})`,
  rowsAPage: 250,
  batchesAPage: 100,
};

/**
 * Fills new standings from the read model, from one snapshot: a concurrent import is seen
 * completely up to the returned position, and not beyond.
 */
export async function loadStandings(url: string, tailMax = TAIL_MAX): Promise<LoadedLedger> {
  const connection = await connect(url, { answerMs: LOAD_MS, settings: SETTINGS });
  try {
    if ((await countUnsummed(connection)) > tailMax) await settleLongTail(url);
    await connection.rows('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const loaded = { standings: new Standings(), position: new LedgerPosition() };
    const { position } = loaded;
    const [row] = await connection.rows(headSql(NO_BATCH));
    const head = headOf(row ?? {});
    const snapshot = snapshotOf(connection.rows, head, LEDGER);
    const [summed] = await connection.rows(
      `SELECT *, (SELECT max(committed_at) FROM batch AS earlier WHERE earlier.id <= batch.id) AS latest
       FROM batch WHERE summed ORDER BY id DESC LIMIT 1`,
    );
    await loadReadModel(connection.rows, snapshot, loaded, PACKING);
    if (summed !== undefined) {
      position.completed(batchNameOf(summed), Number(summed.committed_at), Number(summed.latest));
      position.seq = Number(summed.last_seq);
    }
    // Apply what isn't in the sums yet: during an import, and after one that was killed.
    await applyBatches(snapshot, loaded);
    position.changed();
    return loaded;
  } finally {
    await connection.close();
  }
}

/** A killed big import leaves a long tail; the database adds it up in seconds. */
async function settleLongTail(url: string): Promise<void> {
  const connection = await connect(url, { answerMs: SETTLE_MS, settings: SETTLE_SETTINGS });
  try {
    await settleSums(connection);
  } catch (error) {
    // Another process holds the write lock, or the database is read-only: take the slow path.
    if (!(translateError(error, url) instanceof RetryableError)) throw error;
  } finally {
    await connection.close();
  }
}
