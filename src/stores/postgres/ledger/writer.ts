import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { type ActivityColumns, toActivityColumns } from '#core/activity-columns';
import { wallSeconds } from '#core/clock';
import { RetryableError } from '#core/errors';
import type { Logger } from '#core/logger';
import type {
  EventCommit,
  LedgerActivity,
  LedgerCommit,
  LedgerCorrection,
  LedgerRefusal,
  LedgerWriter,
} from '#core/ports';
import { planCorrections } from '#stores/corrections';
import type { BatchName } from '#stores/following/position';
import type { Database } from '#stores/postgres/database';
import { translateError } from '#stores/postgres/errors';
import { refusedEvents } from '#stores/postgres/evidence/import';
import { isDuplicate } from '#stores/postgres/retry-conflicts';
import { connect, type DedicatedConnection } from './connection.ts';
import { correctionFacts, noteCorrections } from './corrections.ts';
import { requireKept } from './kept.ts';
import { knownAmong, refusalsOf } from './known.ts';
import { endOf, merge, type Staged, type StagedPart } from './merge.ts';
import { WalletNumbers } from './numbers.ts';
import { addGains, addSums, inWriteTurn, SUM_AFTER, summedTo } from './sums.ts';
import { type WriteTurnTimes, waitForTurn } from './turn.ts';

/** A batch takes seconds on a slow disk; a server that is frozen answers never. */
const ANSWER_MS = 300_000;
const CONFIRM_MS = 10_000;
const SETTINGS = {
  work_mem: '64MB',
  // Who died while it held the ledger's lock holds up others no longer than this.
  idle_in_transaction_session_timeout: '30s',
  tcp_keepalives_idle: '30',
  tcp_keepalives_interval: '10',
  tcp_keepalives_count: '3',
  jit: 'off',
};
/** Others import too; each has its turn for as long as a batch takes. */
const TURN_MS = 120_000;
/** By which others, and operators, tell whose connection it is. */
const NAME = `fathom import, process ${process.pid} on ${hostname()}`;

/** Rows after which the server should look at its tables anew, for the plans of those who read. */
const ANALYZE_AFTER = 10_000;

/** A writer whose connection can be ended from outside. */
export interface PostgresWriter extends LedgerWriter {
  close(): Promise<void>;
}

/** A try to commit of which nobody knows how it ended. */
interface Unsure {
  /** Of its batch. */
  readonly uid: string;
  readonly commit: LedgerCommit;
  /** What it was to commit; since then more may have been staged behind that. */
  readonly badges: number;
  readonly names: number;
  /** Parts. */
  readonly activities: number;
  readonly corrections: number;
  readonly events: number;
}

export interface WriterLimits extends WriteTurnTimes {
  /** Rows after which the sums are brought up to date before the end. */
  readonly sumAfter?: number;
  /** Wallets that are remembered. */
  readonly kept?: number;
  /** How long it waits for its turn, in milliseconds. */
  readonly turnMs?: number;
}

/** Writes into the ledger and its read model. @param db for short questions */
export function createWriter(
  db: Database,
  url: string,
  log: Logger,
  { sumAfter = SUM_AFTER, kept, turnMs = TURN_MS, ...times }: WriterLimits = {},
): PostgresWriter {
  const settings = { ...SETTINGS, application_name: NAME, lock_timeout: String(turnMs) };
  const wait = (open: DedicatedConnection) => waitForTurn(open, { ...times, db, log });
  const numbers = new WalletNumbers(kept);
  let connection: DedicatedConnection | undefined;
  let staged = nothing();
  let unsure: Unsure | undefined;
  /** What an earlier try turned out to have committed, and nobody was told of. */
  let settled: LedgerCommit = NONE;
  /** Until a batch has nothing that the ledger had already, and again when one has. */
  let isCareful = true;
  let written = 0;
  /** Uid of the newest batch that was seen. */
  let newest: string | undefined;
  /** The newest batch that was committed here: known for as long as the writer is. */
  let own: BatchName | undefined;

  /** Looks for the wallets at once, while the database is at work on an earlier batch. */
  function partOf(columns: ActivityColumns): StagedPart {
    return { columns, wallets: numbers.find(columns.addresses) };
  }

  async function close(): Promise<void> {
    const open = connection;
    connection = undefined;
    // What was numbered by an undone commit, or at a server that lost one, is known no more.
    numbers.forget(0);
    newest = undefined;
    await open?.close();
  }

  /** Takes out of `batch` what an earlier try has committed after all. */
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

  async function write(batch: Staged): Promise<LedgerCommit> {
    const isNew = connection === undefined;
    connection ??= await connect(url, { answerMs: ANSWER_MS, settings });
    const { client } = connection;
    await client.query('BEGIN');
    // Batches, rows and wallets get their numbers in the order of the commits, without gaps.
    await wait(connection);
    await settle(connection, batch);
    // While a connection lasts, so does the server that has them.
    if (isNew && own !== undefined) await requireKept(connection, own, db.name);
    const uid = randomBytes(6).toString('hex');
    const now = wallSeconds();
    const { badges, names, activities, corrections } = batch;
    const length = activities.reduce((total, { wallets }) => total + wallets.all.length, 0);
    const facts = await correctionFacts(connection, corrections);
    const plan = planCorrections(corrections, facts, length);
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
      isCareful,
    });
    await noteCorrections(connection, plan.planned);
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

  async function writeAgain(batch: Staged): Promise<LedgerCommit> {
    try {
      return await write(batch);
    } catch (error) {
      if (isCareful || !isDuplicate(error)) throw error;
      await close();
      isCareful = true;
      return write(batch);
    }
  }

  /**
   * By what is remembered, if that is all that is missing: others may have written meanwhile, or
   * may have brought the sums up to date.
   * @param last uid of the newest batch that is remembered
   * @returns the newest row that is in them
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

  /** For those who read: the sums, and what the server knows of its tables. */
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
      // What is staged while this one is written is for the next.
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
        // A connection in the middle of something is of no use; the next try makes another one.
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
      // By a new connection: the old one may lead to a server that others have given up.
      let fresh: DedicatedConnection | undefined;
      try {
        fresh = await connect(url, { answerMs: CONFIRM_MS });
        await requireKept(fresh, own, db.name);
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

/** One commit behind the other. */
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

/** Parts of activities stay whole; an empty one would make a commit of nothing. */
function add(staged: Staged, { badges, names, activities, corrections, events }: Staged): void {
  for (const event of events) staged.events.push(event);
  for (const correction of corrections) staged.corrections.push(correction);
  for (const badge of badges) staged.badges.push(badge);
  for (const name of names) staged.names.push(name);
  for (const part of activities) if (part.wallets.all.length > 0) staged.activities.push(part);
}
