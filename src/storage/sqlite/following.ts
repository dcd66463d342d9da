import { DatabaseSync } from 'node:sqlite';
import { type Logger, RetryableError } from '#base';
import { Standings, TEXT_END } from '#reputation/standings';
import { createChangeRows } from '#storage/changes/feed';
import { type ChainEventRows, createExplanationRows } from '#storage/following/explanation-rows';
import { type Follower, follow, type LedgerStatus } from '#storage/following/follow';
import {
  batchNameOf,
  headOf,
  headSql,
  type LedgerDialect,
  loadReadModel,
  type Packing,
  type RunQuery,
  snapshotOf,
} from '#storage/following/ledger-queries';
import {
  createLists,
  type LongLists,
  NEWEST,
  newestOfBoth,
  type ShownReads,
} from '#storage/following/lists';
import { LedgerPosition, type LoadedLedger, NO_BATCH } from '#storage/following/position';
import type { LedgerSnapshot } from '#storage/following/snapshot';
import type { ShownRows } from '#storage/following/source';
import { createDaySumRows } from '#storage/gains/rows';
import { createGrowthRows } from '#storage/growth';
import type { Row } from '#storage/sql/script';
import { BUSY_ABOVE } from '#storage/tables/ledger';
import { askOn, BUSY_TIMEOUT_MS, MEMORY, READER_SETTINGS, requireFile } from './database.ts';
import { translateError, translatingErrors } from './file/errors.ts';

/** SQL aggregate: all values of an integer column, for `readIntegers`. */
export function packed(column: string): string {
  return `CAST(group_concat(${column}) AS BLOB)`;
}

function bytesOf(value: unknown): Uint8Array | null {
  return value instanceof Uint8Array ? value : null;
}

/** Columns as bytes: as texts, they would be decoded and encoded again. */
const PACKING: Packing = {
  integers: packed,
  texts: (column) => `CAST(group_concat(${column} || char(${TEXT_END}), '') AS BLOB)`,
  bytesOf,
  textsOf(value) {
    const bytes = bytesOf(value);
    if (bytes === null) return [];
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
      .toString()
      .split(String.fromCharCode(TEXT_END));
  },
};

/** How often to check the file for another process's commits. A check takes microseconds. */
const POLL_MS = 250;
/** How often a commit may disturb a read of a database in memory before the read fails for now. */
const TRIES = 10;

const LEDGER: LedgerDialect = {
  packing: PACKING,
  isIn: (column, list) => `${column} IN (SELECT value FROM json_each(${list}))`,
  rowsAPage: 64,
  batchesAPage: 64,
};

/** Loads the ledger and follows it. @param db the connection that others use as well */
export async function followSqlite(db: DatabaseSync, file: string, log: Logger): Promise<Follower> {
  const newest = db.prepare(
    `SELECT id, uid, committed_at, (SELECT uid FROM batch WHERE id = ?) AS known_uid
     FROM batch ORDER BY id DESC LIMIT 1`,
  );
  const reader = openLedgerReader(db, file);

  function statusAfter(known: number): LedgerStatus {
    requireFile(db);
    const row = translatingErrors(file, () => newest.get(known));
    const knownUid = row?.known_uid == null ? undefined : String(row.known_uid);
    return { newest: batchNameOf(row), committedAt: Number(row?.committed_at ?? 0), knownUid };
  }

  const startedAt = performance.now();
  try {
    const follower = follow({
      start: await loadStandings(reader),
      startedAt,
      pollMs: POLL_MS,
      log,
      ledger: {
        status: statusAfter,
        peek: statusAfter,
        async inSnapshot(_since, work) {
          try {
            await reader.inSnapshot((_, snapshot) => work(snapshot));
          } catch (error) {
            throw translateError(error, file);
          }
        },
        load: () => loadStandings(reader),
        close: () => reader.close(),
      },
    });
    await follower.begin();
    return follower;
  } catch (error) {
    reader.close();
    throw translateError(error, file);
  }
}

/**
 * Fills new standings from the read model, from one snapshot: a concurrent import is seen
 * completely up to the returned position, and not beyond.
 */
function loadStandings(reader: LedgerReader): Promise<LoadedLedger> {
  return reader.inStillness(async (ask, snapshot) => {
    const loaded = { standings: new Standings(), position: new LedgerPosition() };
    await loadReadModel(ask, snapshot, loaded, PACKING);
    const { position } = loaded;
    const { newest } = snapshot.head;
    const [row] = ask(
      `SELECT last_seq, committed_at, (SELECT max(committed_at) FROM batch WHERE id <= $1) AS latest
       FROM batch WHERE id = $1`,
      [newest.id],
    );
    position.completed(newest, Number(row?.committed_at ?? 0), Number(row?.latest ?? 0));
    position.seq = Number(row?.last_seq ?? 0);
    position.changed();
    return loaded;
  });
}

type RunReaderQuery = (...query: Parameters<RunQuery>) => Row[];
type ReaderWork<T> = (ask: RunReaderQuery, snapshot: LedgerSnapshot) => Promise<T>;

/** A separate connection for long reads, so that they don't block other queries. */
interface LedgerReader {
  /** Runs `work` on the ledger as of one moment. */
  inSnapshot<T>(work: ReaderWork<T>): Promise<T>;
  /** The same, for work that mustn't see anything newer than its head, even in memory. */
  inStillness<T>(work: ReaderWork<T>): Promise<T>;
  close(): void;
}

/**
 * @param main a connection to the same database. One in memory has no second connection; commits
 * may then happen between two queries, which see them only beyond the newest batch of the head.
 */
function openLedgerReader(main: DatabaseSync, file: string): LedgerReader {
  const isFile = file !== MEMORY;
  const db = isFile ? translatingErrors(file, () => openReader(file)) : main;
  const ask: RunReaderQuery = askOn(db);
  const head = () => headOf(ask(headSql(NO_BATCH), [])[0] ?? {});
  const readNow = <T>(work: ReaderWork<T>) =>
    work(
      ask,
      snapshotOf(ask, head(), LEDGER, () => head().newest.id),
    );

  async function inSnapshot<T>(work: ReaderWork<T>): Promise<T> {
    if (!isFile) return readNow(work);
    translatingErrors(file, () => db.exec('BEGIN'));
    try {
      return await readNow(work);
    } finally {
      if (db.isOpen && db.isTransaction) db.exec('ROLLBACK');
    }
  }

  return {
    inSnapshot,
    async inStillness(work) {
      if (isFile) {
        const result = await inSnapshot(work);
        // What long scans needed is of no use to later reads.
        db.exec('PRAGMA shrink_memory');
        return result;
      }
      for (let tries = 0; tries < TRIES; tries++) {
        const { newest } = head();
        const result = await readNow(work);
        if (head().newest.uid === newest.uid) return result;
      }
      throw new RetryableError('The data is changing too fast to be loaded.');
    },
    close() {
      if (isFile && db.isOpen) db.close();
    },
  };
}

function openReader(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  db.exec(READER_SETTINGS);
  return db;
}

/** Growth is counted in steps that requests wait for: each takes about a millisecond. */
const GROWTH_STEP = { packing: PACKING, rows: 4_000, wallets: 300 };

/** The same for sums by day; most rows are older, and only looked at. */
const DAY_SUM_STEP = { rows: 4_000, wallets: 300 };

/** What is shown and isn't in memory, from an SQLite file. */
export function openRows(db: DatabaseSync, file: string): ShownRows {
  const all = askOn(db);
  const uid = db.prepare('SELECT uid FROM batch WHERE id = ?');
  const reads: ShownReads = {
    ask: (sql, values) => translatingErrors(file, () => all(sql, values)),
  };
  const ofHistory: ShownReads = {
    ask: (sql, values, since) =>
      translatingErrors(file, () => {
        if (since.id > 0 && uid.get(since.id)?.uid !== since.uid) {
          throw new RetryableError('The data has just been replaced. Try again.', {
            retryAfter: 1,
          });
        }
        return all(sql, values);
      }),
  };
  return {
    lists: createLists(reads, activitiesIn(db, file)),
    explanations: createExplanationRows(reads, chainEventsIn(db, file)),
    changes: createChangeRows(ofHistory),
    growth: createGrowthRows(reads, GROWTH_STEP),
    daySums: createDaySumRows(reads, DAY_SUM_STEP),
  };
}

function activitiesIn(db: DatabaseSync, file: string): LongLists['activities'] {
  const scored = db.prepare(
    `SELECT id, type, description, points, timestamp FROM scored
     WHERE edition = $edition AND wallet = $wallet AND born <= $change AND (gone IS NULL OR gone > $change)
       AND timestamp <= $timestamp AND (timestamp < $timestamp OR id > $id)
     ORDER BY timestamp DESC, id LIMIT $limit`,
  );
  const isBusy = db.prepare('SELECT 1 FROM busy_activity WHERE wallet = ? LIMIT 1');
  const newest = db.prepare(
    `SELECT id, type, description, points, timestamp FROM activity
     WHERE wallet = $wallet AND seq <= $seq
       AND timestamp <= $timestamp AND (timestamp < $timestamp OR id > $id)
     ORDER BY timestamp DESC, id LIMIT $limit`,
  );
  const newestOfBusy = db.prepare(
    `SELECT id, type, description, points, activity.timestamp
     FROM busy_activity AS busy JOIN activity ON activity.seq = busy.seq
     WHERE busy.wallet = $wallet AND busy.seq <= $seq
       AND busy.timestamp <= $timestamp AND (busy.timestamp < $timestamp OR id > $id)
     ORDER BY busy.timestamp DESC, id LIMIT $limit`,
  );
  return (wallet, count, limit, { seq, edition, change }, { timestamp, id } = NEWEST) =>
    translatingErrors(file, () => {
      // What rules granted counts too, but isn't in `busy_activity`.
      const list = count > BUSY_ABOVE && isBusy.get(wallet) !== undefined ? newestOfBusy : newest;
      const page = { $wallet: wallet, $timestamp: timestamp, $id: id, $limit: limit };
      const imported = list.all({ ...page, $seq: seq });
      if (edition === 0) return imported;
      const given = scored.all({ ...page, $edition: edition, $change: change });
      return newestOfBoth(imported, given, limit);
    });
}

function chainEventsIn(db: DatabaseSync, file: string): ChainEventRows {
  const origin = db.prepare(
    `SELECT id, origin FROM scored
     WHERE edition = ? AND wallet = ? AND timestamp = ? AND id = ? LIMIT 1`,
  );
  // The order of the join is fixed, for there are few inputs.
  const evidence = db.prepare(
    `SELECT part.source, part.chain, input.name, evidence.place, evidence.args,
            evidence.transaction_id
     FROM evidence_source AS part
     CROSS JOIN evidence_input AS input ON input.source = part.source
     CROSS JOIN evidence
       ON evidence.wallet = $wallet AND evidence.input = input.number AND evidence.place = $place
     WHERE part.source = $source AND part.chain IS NOT NULL AND transaction_id IS NOT NULL LIMIT 1`,
  );
  return {
    origins: (wallet, activities, { edition }) =>
      translatingErrors(file, () =>
        activities.flatMap(({ id, timestamp }) => origin.all(edition, wallet, timestamp, id)),
      ),
    evidence: (wallet, places) =>
      translatingErrors(file, () =>
        places.flatMap(({ source, place }) => evidence.all({ wallet, source, place })),
      ),
  };
}
