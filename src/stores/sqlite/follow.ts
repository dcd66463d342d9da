import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as breathe } from 'node:timers/promises';
import { messageOf } from '#core/errors';
import type { Logger } from '#core/logger';
import type { Standings } from '#core/standings/standings';
import { addWallet, loadBadges, loadNames, type Position } from './load.ts';

/** How often the file is looked at for another process's commits. A look costs microseconds. */
const LOOK_MS = 250;
/** Ledger rows a step: short enough (some 0.3 ms) that requests in between don't notice. */
const STEP = 100;

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

  /** Rows of one wallet come together, as the writer sorts them, and count as one change. */
  function takeInSome(rows: readonly Row[], { committedAt }: Batch): void {
    for (let at = 0; at < rows.length; ) {
      const [, wallet] = rows[at] as Row;
      if (!standings.has(wallet)) addWallet(db, standings, wallet);
      const from = at;
      let sum = 0;
      for (; at < rows.length && rows[at]?.[1] === wallet; at++) {
        const [, , points, badge] = rows[at] as Row;
        sum += points;
        if (badge !== null) standings.addBadge(wallet, badge);
      }
      standings.apply(wallet, { activities: at - from, points: sum, committedAt });
      position.seq = rows[at - 1]?.[0] as number;
    }
  }

  async function takeIn(batch: Batch): Promise<void> {
    // Badges first: the rows of this batch may earn them.
    position.badges = loadBadges(db, standings, position.badges);
    while (position.seq < batch.lastSeq && !stopped) {
      takeInSome(sql.rows.all(position.seq, batch.lastSeq) as unknown as Row[], batch);
      await breathe();
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
