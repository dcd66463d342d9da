import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { type Logger, RetryableError, wallSeconds } from '#base';
import type { EventCommit, LedgerCommit, LedgerRefusal, LedgerWriter } from '#import';
import {
  type ActivityColumns,
  type LedgerActivity,
  type LedgerCorrection,
  toActivityColumns,
} from '#reputation';
import { NO_WALLETS, planCorrections, TooManyActivities } from '#storage/corrections';
import type { BatchName } from '#storage/following/position';
import { connect, type DedicatedConnection } from '#storage/postgres/connection';
import type { Database } from '#storage/postgres/database';
import { isDuplicate, translateError } from '#storage/postgres/errors';
import { requireCommitted } from './batch.ts';
import { refusedEvents } from './events.ts';
import { knownAmong, refusalsOf } from './known-activities.ts';
import { endOf, merge, type Staged, type StagedPart } from './merge.ts';
import { correctionFacts } from './merge-parts.ts';
import { addGains, addSums, inWriteTurn, SUM_AFTER, summedTo } from './sums.ts';
import { WalletNumbers } from './wallet-ids.ts';
import { type WriteTurnTimes, waitForWriteLock } from './write-lock.ts';

/** A batch takes seconds on a slow disk; a frozen server never answers. */
const ANSWER_MS = 300_000;
const CONFIRM_MS = 10_000;
const SETTINGS = {
  work_mem: '64MB',
  // A client that dies while holding the ledger's lock blocks others no longer than this.
  idle_in_transaction_session_timeout: '30s',
  tcp_keepalives_idle: '30',
  tcp_keepalives_interval: '10',
  tcp_keepalives_count: '3',
  jit: 'off',
};
/** Other imports run too; each holds the lock for a batch. */
const TURN_MS = 120_000;
/** How other processes and operators recognise the connection. */
const NAME = `fathom import, process ${process.pid} on ${hostname()}`;

/** Rows after which the server should ANALYZE the tables, for readers' query plans. */
const ANALYZE_AFTER = 10_000;

/** A writer whose connection can be closed from outside. */
export interface PostgresWriter extends LedgerWriter {
  close(): Promise<void>;
}

/** A commit attempt with an unknown outcome. */
interface Unsure {
  /** The uid of the batch being written. */
  readonly uid: string;
  readonly commit: LedgerCommit;
  /** What it was to commit; more may have been staged since. */
  readonly badges: number;
  readonly names: number;
  /** Parts. */
  readonly activities: number;
  readonly corrections: number;
  readonly events: number;
}

export interface WriterLimits extends WriteTurnTimes {
  /** Rows after which the sums are updated before the end. */
  readonly sumAfter?: number;
  /** Size of the wallet cache. */
  readonly kept?: number;
  /** How long it waits for the write lock, in milliseconds. */
  readonly turnMs?: number;
}

/** Writes to the ledger and its read model. @param db for short queries */
export function createWriter(
  db: Database,
  url: string,
  log: Logger,
  { sumAfter = SUM_AFTER, kept, turnMs = TURN_MS, ...times }: WriterLimits = {},
): PostgresWriter {
  const settings = { ...SETTINGS, application_name: NAME, lock_timeout: String(turnMs) };
  const wait = (open: DedicatedConnection) => waitForWriteLock(open, { ...times, db, log });
  const numbers = new WalletNumbers(kept);
  let connection: DedicatedConnection | undefined;
  let staged = nothing();
  let unsure: Unsure | undefined;
  /** What an earlier attempt turned out to have committed, not reported yet. */
  let settled: LedgerCommit = NONE;
  /** Set until a batch has nothing that the ledger had, and again when one does. */
  let isCareful = true;
  let written = 0;
  /** Uid of the newest batch seen. */
  let newest: string | undefined;
  /** The newest batch committed here, for the writer's lifetime. */
  let own: BatchName | undefined;

  /** Looks up the wallets immediately, while the database works on an earlier batch. */
  function partOf(columns: ActivityColumns): StagedPart {
    return { columns, wallets: numbers.find(columns.addresses) };
  }

  async function close(): Promise<void> {
    const open = connection;
    connection = undefined;
    // Numbers assigned by a rolled-back commit, or at a server that lost one, are invalid.
    numbers.forget(0);
    newest = undefined;
    await open?.close();
  }

  /** Removes from `batch` what an earlier attempt committed after all. */
  async function settle({ client }: DedicatedConnection, batch: Staged): Promise<void> {
    if (unsure === undefined) return;
    const { uid, commit, badges, names, activities, corrections, events } = unsure;
    const { rows } = await client.query('SELECT id FROM batch WHERE uid = $1', [uid]);
    unsure = undefined;
    if (rows[0] === undefined) return;
    own = { id: Number(rows[0].id), uid };
    batch.badges.splice(0, badges);
    batch.names.splice(0, names);
    batch.activities.splice(0, activities);
    batch.corrections.splice(0, corrections);
    batch.events.splice(0, events);
    settled = sum(settled, commit);
  }

  /** @param full wallets that can't have more activities */
  async function write(batch: Staged, full = NO_WALLETS): Promise<LedgerCommit> {
    const isNew = connection === undefined;
    connection ??= await connect(url, { answerMs: ANSWER_MS, settings });
    const { client } = connection;
    await client.query('BEGIN');
    // Batches, rows and wallets are numbered in commit order, without gaps.
    await wait(connection);
    await settle(connection, batch);
    // As long as a connection lasts, it leads to the same server, which has them.
    if (isNew && own !== undefined) await requireCommitted(connection, own, db.name);
    const uid = randomBytes(6).toString('hex');
    const now = wallSeconds();
    const { badges, names, activities, corrections } = batch;
    const length = activities.reduce((total, { wallets }) => total + wallets.all.length, 0);
    const facts = await correctionFacts(connection, corrections);
    const plan = planCorrections(corrections, facts, length, full);
    const adjustments = plan.planned.map(({ adjustment }) => adjustment);
    const whole: Staged = { ...batch, activities: [...activities] };
    if (adjustments.length > 0) whole.activities.push(partOf(toActivityColumns(adjustments)));
    const {
      added,
      refused: differing,
      events,
      ...end
    } = await merge(connection, whole, {
      numbers,
      newest,
      uid,
      now,
      isCareful: isCareful || full.size > 0,
      full,
      corrections: plan.planned,
    });
    const isLong = end.seq - numbers.since > sumAfter;
    const sumsTo = isLong ? await addAllSums(connection, end.newest) : undefined;
    const refused = [...differing, ...plan.refused];
    const known = length + corrections.length - added - refused.length;
    const commit = {
      ...{ added, known },
      ...(refused.length > 0 && { refused }),
      ...(events !== undefined && { events }),
    };
    unsure = {
      uid,
      commit,
      badges: badges.length,
      names: names.length,
      activities: activities.length,
      corrections: corrections.length,
      events: batch.events.length,
    };
    await client.query('COMMIT');
    unsure = undefined;
    newest = end.newest;
    own = end.made ?? own;
    if (sumsTo !== undefined) numbers.settled(sumsTo);
    return commit;
  }

  async function writeAgain(batch: Staged, full = NO_WALLETS): Promise<LedgerCommit> {
    try {
      return await write(batch, full);
    } catch (error) {
      const isFull = error instanceof TooManyActivities;
      if (!isFull && (isCareful || !isDuplicate(error))) throw error;
      await close();
      // Without care, what is known was counted too.
      const more = isFull && isCareful ? error.wallets : NO_WALLETS;
      isCareful = true;
      return writeAgain(batch, full.union(more));
    }
  }

  /**
   * Uses the cache if only its own batches are missing: others may have written, or updated the
   * sums, meanwhile.
   * @param last uid of the newest cached batch
   * @returns the newest row in the sums
   */
  async function addAllSums(open: DedicatedConnection, last: string | undefined): Promise<number> {
    const { uid, seq } = await endOf(open);
    const isAll = uid === last && (await summedTo(open)) === numbers.since;
    await (isAll ? addGains(open, numbers.gained()) : addSums(open));
    return seq;
  }

  async function compareAll(
    all: readonly LedgerActivity[],
    corrections: readonly LedgerCorrection[],
  ): Promise<LedgerRefusal[]> {
    connection ??= await connect(url, { answerMs: ANSWER_MS, settings });
    const open = connection;
    const activities = toActivityColumns(all);
    const addresses = all.map(({ wallet }) => wallet.address);
    const known = await knownAmong(
      open,
      addresses,
      all.map(({ id }) => id),
    );
    const given = Array.from(known.places, (place, row) => ({ place, row }));
    const refused = await refusalsOf(open, activities, known, given);
    const facts = await correctionFacts(open, corrections);
    return [...refused, ...planCorrections(corrections, facts, all.length).refused];
  }

  /** For readers: updates the sums and the table statistics. */
  async function tidyUp(): Promise<void> {
    connection ??= await connect(url, { answerMs: ANSWER_MS, settings });
    const open = connection;
    numbers.settled(await inWriteTurn(open, () => addAllSums(open, newest), wait));
    if (written <= ANALYZE_AFTER) return;
    await connection.rows('ANALYZE activity, wallet, award, busy_activity, name');
  }

  return {
    async knownBadges() {
      return new Set((await db.rows('SELECT id FROM badge')).map((row) => String(row.id)));
    },
    stage: ({ badges, names, activities, events = [] }) =>
      add(staged, {
        badges: [...badges],
        names: [...names],
        activities: [partOf(toActivityColumns(activities))],
        corrections: [],
        events: [...events],
      }),
    stageColumns: (activities) => add(staged, { ...nothing(), activities: [partOf(activities)] }),
    stageCorrections: (corrections) => add(staged, { ...nothing(), corrections: [...corrections] }),
    async compare(activities, corrections) {
      try {
        return await compareAll(activities, corrections);
      } catch (error) {
        await close();
        throw translateError(error, db.name);
      }
    },
    async compareEvents(events) {
      try {
        connection ??= await connect(url, { answerMs: ANSWER_MS, settings });
        return await refusedEvents(connection, events);
      } catch (error) {
        await close();
        throw translateError(error, db.name);
      }
    },
    async commit() {
      // What is staged during this write belongs to the next batch.
      const batch = staged;
      staged = nothing();
      try {
        const commit = isEmpty(batch) ? NONE : await writeAgain(batch);
        isCareful = commit.known > 0 || commit.refused !== undefined;
        const all = sum(settled, commit);
        written += all.added;
        settled = NONE;
        return all;
      } catch (error) {
        // A connection in the middle of something can't be reused; the next attempt opens another
        // one.
        await close();
        const explained = translateError(error, db.name);
        if (explained instanceof RetryableError) {
          add(batch, staged);
          staged = batch;
        } else unsure = undefined;
        throw explained;
      }
    },
    async confirm() {
      if (own === undefined) return;
      // On a new connection: the old one may lead to a former primary.
      let fresh: DedicatedConnection | undefined;
      try {
        fresh = await connect(url, { answerMs: CONFIRM_MS });
        await requireCommitted(fresh, own, db.name);
      } catch (error) {
        throw translateError(error, db.name);
      } finally {
        await fresh?.close();
      }
    },
    async finish() {
      try {
        if (written > 0) await tidyUp();
      } catch (error) {
        throw translateError(error, db.name);
      } finally {
        written = 0;
        await close();
      }
    },
    close,
  };
}

const NONE: LedgerCommit = { added: 0, known: 0 };

/** Adds up two successive commits. */
function sum(a: LedgerCommit, b: LedgerCommit): LedgerCommit {
  const { refused: first = [] } = a;
  const before = a.added + a.known + first.length;
  const second = (b.refused ?? []).map((each) => ({ ...each, place: before + each.place }));
  const refused = [...first, ...second];
  const events = sumEvents(a.events, b.events);
  return {
    added: a.added + b.added,
    known: a.known + b.known,
    ...(refused.length > 0 && { refused }),
    ...(events !== undefined && { events }),
  };
}

function sumEvents(a: EventCommit | undefined, b: EventCommit | undefined) {
  if (a === undefined || b === undefined) return a ?? b;
  const before = a.added + a.known + a.refused.length;
  const second = b.refused.map((each) => ({ ...each, place: before + each.place }));
  return {
    added: a.added + b.added,
    known: a.known + b.known,
    refused: [...a.refused, ...second],
  };
}

function nothing(): Staged {
  return { badges: [], names: [], activities: [], corrections: [], events: [] };
}

function isEmpty({ badges, names, activities, corrections, events }: Staged): boolean {
  const length = badges.length + names.length + activities.length + corrections.length;
  return length + events.length === 0;
}

/** Parts of activities stay whole; an empty one would cause an empty commit. */
function add(staged: Staged, { badges, names, activities, corrections, events }: Staged): void {
  for (const event of events) staged.events.push(event);
  for (const correction of corrections) staged.corrections.push(correction);
  for (const badge of badges) staged.badges.push(badge);
  for (const name of names) staged.names.push(name);
  for (const part of activities) if (part.wallets.all.length > 0) staged.activities.push(part);
}
