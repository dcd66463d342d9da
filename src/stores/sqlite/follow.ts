import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as breathe } from 'node:timers/promises';
import { messageOf } from '#core/errors';
import type { Logger } from '#core/logger';
import type { Standings } from '#core/standings/standings';
import { addWallet, loadNames, type Position, takeInBadges } from './load.ts';

/** How often the file is looked at for another process's commits. A look costs microseconds. */
const LOOK_MS = 250;
/** Ledger rows that are fetched at a time. */
const STEP = 100;
/** How long the rows may hold up the requests that come meanwhile. */
const STEP_MS = 0.2;
/** Rows that are taken in between two looks at the clock. */
const AT_ONCE = 8;

interface Batch {
  readonly id: number;
  readonly lastSeq: number;
  readonly committedAt: number;
}

/** Of the ledger: seq, wallet, points, badge. */
type Row = [number, number, number, number | null];

/** Keeps standings up to date with a ledger that this or another process writes. */
export interface Follower {
  readonly position: Readonly<Position>;
  /** Seconds since the oldest commit that isn't shown yet; 0 when all is shown. */
  lagSeconds(): number;
  /** Takes in all that is committed now. */
  catchUp(): Promise<void>;
  stop(): void;
}

export function follow(
  db: DatabaseSync,
  standings: Standings,
  start: Position,
  log: Logger,
): Follower {
  const position = { ...start };
  const sql = {
    dataVersion: db.prepare('PRAGMA data_version'),
    newest: db.prepare('SELECT uid FROM batch ORDER BY id DESC LIMIT 1'),
    batches: db.prepare(
      'SELECT id, last_seq, committed_at FROM batch WHERE id > ? ORDER BY id LIMIT 1000',
    ),
    rows: db.prepare(
      `SELECT seq, wallet, points, badge FROM activity WHERE seq > ? AND seq <= ?
       ORDER BY seq LIMIT ${STEP}`,
    ),
  };
  // Half the cost of rows as objects.
  sql.rows.setReturnArrays(true);
  let seenVersion: unknown;
  let behindSince: number | undefined;
  let running: Promise<void> | undefined;
  let again = false;
  let stopped = false;

  function nextBatches(): Batch[] {
    return sql.batches.all(position.batch).map((row) => ({
      id: Number(row.id),
      lastSeq: Number(row.last_seq),
      committedAt: Number(row.committed_at),
    }));
  }

  /**
   * Takes in rows from place `at` for a moment. Those of one wallet come together, as the writer
   * sorts them, and count as one change. @returns the place of the first row that is left
   */
  function takeInSome(rows: readonly Row[], at: number, { committedAt }: Batch): number {
    const end = performance.now() + STEP_MS;
    let next = at;
    for (let changes = 1; next < rows.length; changes++) {
      const [, wallet] = rows[next] as Row;
      if (!standings.has(wallet)) addWallet(db, standings, wallet);
      const from = next;
      let sum = 0;
      for (; rows[next]?.[1] === wallet; next++) {
        const [, , points, badge] = rows[next] as Row;
        sum += points;
        if (badge !== null) standings.addBadge(wallet, badge);
      }
      standings.apply(wallet, { activities: next - from, points: sum, committedAt });
      position.seq = rows[next - 1]?.[0] as number;
      if (changes % AT_ONCE === 0 && performance.now() > end) break;
    }
    return next;
  }

  async function takeIn(batch: Batch): Promise<void> {
    position.uid = String(sql.newest.get()?.uid);
    // Badges first: the rows of this batch may earn them.
    position.badges = await takeInBadges(db, standings, position.badges);
    while (position.seq < batch.lastSeq && !stopped) {
      const rows = sql.rows.all(position.seq, batch.lastSeq) as unknown as Row[];
      for (let at = 0; at < rows.length && !stopped; ) {
        at = takeInSome(rows, at, batch);
        await breathe();
      }
    }
    if (stopped) return;
    loadNames(db, standings, position.batch);
    position.batch = batch.id;
    position.committedAt = batch.committedAt;
  }

  async function takeInAll(): Promise<void> {
    for (let batches = nextBatches(); batches.length > 0 && !stopped; batches = nextBatches()) {
      for (const batch of batches) {
        behindSince = batch.committedAt;
        await takeIn(batch);
      }
    }
    if (!stopped) behindSince = undefined;
  }

  /** One run at a time; who asks during a run gets one more after it. */
  async function catchUp(): Promise<void> {
    again = true;
    running ??= (async () => {
      try {
        while (again && !stopped) {
          again = false;
          await takeInAll();
        }
      } finally {
        running = undefined;
      }
    })();
    await running;
  }

  let failing = false;
  async function look(): Promise<void> {
    try {
      const version = sql.dataVersion.get()?.data_version;
      if (version === seenVersion && !failing) return;
      await catchUp();
      seenVersion = version;
      failing = false;
    } catch (error) {
      if (!failing) log.warn({ error: messageOf(error) }, 'new data cannot be read; trying again');
      failing = true;
      behindSince ??= Math.floor(Date.now() / 1000);
    }
  }

  const timer = setInterval(() => void look(), LOOK_MS);
  timer.unref();

  return {
    position,
    lagSeconds: () =>
      behindSince === undefined ? 0 : Math.max(0, Math.floor(Date.now() / 1000) - behindSince),
    catchUp,
    stop() {
      stopped = true;
      clearInterval(timer);
    },
  };
}
