import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { type Logger, RetryableError, wallSeconds } from '#base';
import type { LedgerBatch, LedgerCommit, LedgerRefusal, LedgerWriter } from '#import';
import {
  type ActivityColumns,
  type ImportedEvent,
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
import { endOf, merge } from './merge.ts';
import { correctionFacts } from './merge-parts.ts';
import {
  isEmpty,
  NO_COMMIT,
  nothingStaged,
  type Staged,
  type StagedPart,
  stageAll,
  sumCommits,
  type UnsureCommit,
  unsureCommit,
} from './staged.ts';
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
  limits: WriterLimits = {},
): PostgresWriter {
  return new PostgresLedgerWriter(db, url, log, limits);
}

class PostgresLedgerWriter implements PostgresWriter {
  readonly #db: Database;
  readonly #url: string;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #wait: (open: DedicatedConnection) => Promise<void>;
  readonly #sumAfter: number;
  readonly #numbers: WalletNumbers;
  #connection: DedicatedConnection | undefined;
  #staged = nothingStaged();
  #unsure: UnsureCommit | undefined;
  /** What an earlier attempt turned out to have committed, not reported yet. */
  #settled = NO_COMMIT;
  /** Set until a batch has nothing that the ledger had, and again when one does. */
  #isCareful = true;
  #written = 0;
  /** Uid of the newest batch seen. */
  #newest: string | undefined;
  /** The newest batch committed here, for the writer's lifetime. */
  #own: BatchName | undefined;

  constructor(db: Database, url: string, log: Logger, limits: WriterLimits) {
    const { sumAfter = SUM_AFTER, kept, turnMs = TURN_MS, ...times } = limits;
    this.#db = db;
    this.#url = url;
    this.#settings = { ...SETTINGS, application_name: NAME, lock_timeout: String(turnMs) };
    this.#wait = (open) => waitForWriteLock(open, { ...times, db, log });
    this.#sumAfter = sumAfter;
    this.#numbers = new WalletNumbers(kept);
  }

  async knownBadges(): Promise<Set<string>> {
    return new Set((await this.#db.rows('SELECT id FROM badge')).map((row) => String(row.id)));
  }

  stage({ badges, names, activities, events = [] }: LedgerBatch): void {
    stageAll(this.#staged, {
      badges: [...badges],
      names: [...names],
      activities: [this.#partOf(toActivityColumns(activities))],
      corrections: [],
      events: [...events],
    });
  }

  stageColumns(activities: ActivityColumns): void {
    stageAll(this.#staged, { ...nothingStaged(), activities: [this.#partOf(activities)] });
  }

  stageCorrections(corrections: readonly LedgerCorrection[]): void {
    stageAll(this.#staged, { ...nothingStaged(), corrections: [...corrections] });
  }

  compare(
    activities: readonly LedgerActivity[],
    corrections: readonly LedgerCorrection[],
  ): Promise<LedgerRefusal[]> {
    return this.#orClose(async () => {
      const open = await this.#connect();
      const known = await knownAmong(
        open,
        activities.map(({ wallet }) => wallet.address),
        activities.map(({ id }) => id),
      );
      const given = Array.from(known.places, (place, row) => ({ place, row }));
      const refused = await refusalsOf(open, toActivityColumns(activities), known, given);
      const facts = await correctionFacts(open, corrections);
      return [...refused, ...planCorrections(corrections, facts, activities.length).refused];
    });
  }

  compareEvents(events: readonly ImportedEvent[]): Promise<readonly LedgerRefusal[]> {
    return this.#orClose(async () => refusedEvents(await this.#connect(), events));
  }

  async commit(): Promise<LedgerCommit> {
    // What is staged during this write belongs to the next batch.
    const batch = this.#staged;
    this.#staged = nothingStaged();
    try {
      const commit = isEmpty(batch) ? NO_COMMIT : await this.#writeAgain(batch);
      this.#isCareful = commit.known > 0 || commit.refused !== undefined;
      const all = sumCommits(this.#settled, commit);
      this.#written += all.added;
      this.#settled = NO_COMMIT;
      return all;
    } catch (error) {
      // A connection in the middle of something can't be reused; the next attempt opens another
      // one.
      await this.close();
      const explained = translateError(error, this.#db.name);
      if (explained instanceof RetryableError) {
        stageAll(batch, this.#staged);
        this.#staged = batch;
      } else this.#unsure = undefined;
      throw explained;
    }
  }

  async confirm(): Promise<void> {
    if (this.#own === undefined) return;
    // On a new connection: the old one may lead to a former primary.
    let fresh: DedicatedConnection | undefined;
    try {
      fresh = await connect(this.#url, { answerMs: CONFIRM_MS });
      await requireCommitted(fresh, this.#own, this.#db.name);
    } catch (error) {
      throw translateError(error, this.#db.name);
    } finally {
      await fresh?.close();
    }
  }

  async finish(): Promise<void> {
    try {
      if (this.#written > 0) await this.#tidyUp();
    } catch (error) {
      throw translateError(error, this.#db.name);
    } finally {
      this.#written = 0;
      await this.close();
    }
  }

  async close(): Promise<void> {
    const open = this.#connection;
    this.#connection = undefined;
    // Numbers assigned by a rolled-back commit, or at a server that lost one, are invalid.
    this.#numbers.forget(0);
    this.#newest = undefined;
    await open?.close();
  }

  async #connect(): Promise<DedicatedConnection> {
    this.#connection ??= await connect(this.#url, {
      answerMs: ANSWER_MS,
      settings: this.#settings,
    });
    return this.#connection;
  }

  /** A connection on which a query failed isn't reused. */
  async #orClose<T>(query: () => Promise<T>): Promise<T> {
    try {
      return await query();
    } catch (error) {
      await this.close();
      throw translateError(error, this.#db.name);
    }
  }

  /** Looks up the wallets immediately, while the database works on an earlier batch. */
  #partOf(columns: ActivityColumns): StagedPart {
    return { columns, wallets: this.#numbers.find(columns.addresses) };
  }

  async #writeAgain(batch: Staged, full = NO_WALLETS): Promise<LedgerCommit> {
    try {
      return await this.#write(batch, full);
    } catch (error) {
      const isFull = error instanceof TooManyActivities;
      if (!isFull && (this.#isCareful || !isDuplicate(error))) throw error;
      await this.close();
      // Without care, what is known was counted too.
      const more = isFull && this.#isCareful ? error.wallets : NO_WALLETS;
      this.#isCareful = true;
      return this.#writeAgain(batch, full.union(more));
    }
  }

  /** One attempt, in a transaction. @param full wallets that can't have more activities */
  async #write(batch: Staged, full: ReadonlySet<number>): Promise<LedgerCommit> {
    const open = await this.#begin(batch);
    const uid = randomBytes(6).toString('hex');
    const { commit, end } = await this.#merge(open, batch, { uid, full });
    const isLong = end.seq - this.#numbers.since > this.#sumAfter;
    const sumsTo = isLong ? await this.#addAllSums(open, end.newest) : undefined;
    this.#unsure = unsureCommit(uid, commit, batch);
    await open.client.query('COMMIT');
    this.#unsure = undefined;
    this.#newest = end.newest;
    this.#own = end.made ?? this.#own;
    if (sumsTo !== undefined) this.#numbers.settled(sumsTo);
    return commit;
  }

  /** Begins a transaction that writes. Removes from `batch` what is in the ledger after all. */
  async #begin(batch: Staged): Promise<DedicatedConnection> {
    const isNew = this.#connection === undefined;
    const open = await this.#connect();
    await open.client.query('BEGIN');
    // Batches, rows and wallets are numbered in commit order, without gaps.
    await this.#wait(open);
    await this.#settle(open, batch);
    // As long as a connection lasts, it leads to the same server, which has them.
    if (isNew && this.#own !== undefined) await requireCommitted(open, this.#own, this.#db.name);
    return open;
  }

  /** Removes from `batch` what an earlier attempt committed after all. */
  async #settle({ client }: DedicatedConnection, batch: Staged): Promise<void> {
    if (this.#unsure === undefined) return;
    const { uid, commit, badges, names, activities, corrections, events } = this.#unsure;
    const { rows } = await client.query('SELECT id FROM batch WHERE uid = $1', [uid]);
    this.#unsure = undefined;
    if (rows[0] === undefined) return;
    this.#own = { id: Number(rows[0].id), uid };
    batch.badges.splice(0, badges);
    batch.names.splice(0, names);
    batch.activities.splice(0, activities);
    batch.corrections.splice(0, corrections);
    batch.events.splice(0, events);
    this.#settled = sumCommits(this.#settled, commit);
  }

  async #merge(
    open: DedicatedConnection,
    batch: Staged,
    { uid, full }: { readonly uid: string; readonly full: ReadonlySet<number> },
  ) {
    const now = wallSeconds();
    const { activities, corrections } = batch;
    const length = activities.reduce((total, { wallets }) => total + wallets.all.length, 0);
    const facts = await correctionFacts(open, corrections);
    const plan = planCorrections(corrections, facts, length, full);
    const adjustments = plan.planned.map(({ adjustment }) => adjustment);
    const whole: Staged = { ...batch, activities: [...activities] };
    if (adjustments.length > 0) whole.activities.push(this.#partOf(toActivityColumns(adjustments)));
    const {
      added,
      refused: differing,
      events,
      ...end
    } = await merge(open, whole, {
      numbers: this.#numbers,
      newest: this.#newest,
      uid,
      now,
      isCareful: this.#isCareful || full.size > 0,
      full,
      corrections: plan.planned,
    });
    const refused = [...differing, ...plan.refused];
    const known = length + corrections.length - added - refused.length;
    const commit: LedgerCommit = {
      ...{ added, known },
      ...(refused.length > 0 && { refused }),
      ...(events !== undefined && { events }),
    };
    return { commit, end };
  }

  /**
   * Uses the cache if only its own batches are missing: others may have written, or updated the
   * sums, meanwhile.
   * @param last uid of the newest cached batch
   * @returns the newest row in the sums
   */
  async #addAllSums(open: DedicatedConnection, last: string | undefined): Promise<number> {
    const { uid, seq } = await endOf(open);
    const isAll = uid === last && (await summedTo(open)) === this.#numbers.since;
    await (isAll ? addGains(open, this.#numbers.gained()) : addSums(open));
    return seq;
  }

  /** For readers: updates the sums and the table statistics. */
  async #tidyUp(): Promise<void> {
    const open = await this.#connect();
    const sumUp = () => this.#addAllSums(open, this.#newest);
    this.#numbers.settled(await inWriteTurn(open, sumUp, this.#wait));
    if (this.#written <= ANALYZE_AFTER) return;
    await open.rows('ANALYZE activity, wallet, award, busy_activity, name');
  }
}
