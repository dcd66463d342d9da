import { messageOf } from '#core/errors';
import type { Logger } from '#core/logger';
import { Freshness } from './freshness.ts';
import { listen } from './listener.ts';
import type { BatchName } from './position.ts';
import type { Reads } from './reads.ts';
import {
  type Ask,
  batchesToTakeIn,
  type Loaded,
  takeInBadges,
  takeInBatch,
  takeInWallets,
} from './take-in.ts';

/** How often the primary is asked whether there is anything new, should a notice have got lost. */
const LOOK_MS = 500;

export interface FollowOptions {
  readonly url: string;
  readonly start: Loaded;
  readonly log: Logger;
  /** Where rows come from, once it is known that they are there. */
  readonly reads: Reads;
  /** Loads everything anew: the database isn't the one any more that was followed. */
  readonly reload: () => Promise<Loaded>;
}

/** Keeps standings up to date with a ledger that any replica writes. */
export interface Follower {
  /** What is shown now; another object after everything was loaded anew. */
  readonly shown: Loaded;
  readonly freshness: Freshness;
  /** Seconds since the oldest commit that isn't shown yet, or since that can't be told; else 0. */
  lagSeconds(): number;
  /** Seconds since 1970 of the newest commit that was seen; 0 when there was none. */
  readonly lastCommitAt: number;
  /** Takes in all that is committed now. @throws RetryableError */
  catchUp(): Promise<void>;
  /** Looks soon. */
  lookSoon(): void;
  close(): Promise<void>;
}

const LOOK_SQL = `
  SELECT newest.id, newest.uid, newest.committed_at,
         (SELECT uid FROM batch WHERE id = $1) AS known_uid,
         (SELECT committed_at FROM batch WHERE id > $2 ORDER BY id LIMIT 1) AS next_at
  FROM (SELECT) AS one
  LEFT JOIN (SELECT * FROM batch ORDER BY id DESC LIMIT 1) AS newest ON true`;

export function follow({ url, start, log, reads, reload }: FollowOptions): Follower {
  const freshness = new Freshness();
  const stopping = new AbortController();
  const { signal } = stopping;
  const listener = listen(url, lookSoon);
  let shown = start;
  let behindSince: number | undefined;
  let lastCommitAt = start.position.committedAt;
  let running: Promise<void> | undefined;
  let again = false;
  let failing = false;
  let isPinging = false;

  /** @returns the newest batch, if there is something to take in */
  async function look(): Promise<BatchName | undefined> {
    const { newest, batch } = shown.position;
    const askedAt = performance.now();
    const [row] = await listener.rows(LOOK_SQL, [newest.id, batch]);
    freshness.seen(askedAt);
    const id = Number(row?.id ?? 0);
    lastCommitAt = Number(row?.committed_at ?? 0);
    if (newest.id > 0 && row?.known_uid !== newest.uid) {
      log.warn({}, 'the database has lost commits that were shown; everything is loaded anew');
      shown = await reload();
      lastCommitAt = shown.position.committedAt;
      behindSince = undefined;
      return look();
    }
    behindSince = row?.next_at == null ? undefined : Number(row.next_at);
    return id > batch ? { id, uid: String(row?.uid) } : undefined;
  }

  async function takeIn(newest: BatchName): Promise<void> {
    const loaded = shown;
    const { position } = loaded;
    if (newest.id > position.newest.id) {
      position.newest = newest;
      position.changed();
    }
    const ask: Ask = (sql, values) => {
      signal.throwIfAborted();
      return reads.ask(sql, values, position.newest);
    };
    await takeInWallets(ask, loaded, signal);
    await takeInBadges(ask, loaded);
    for (const batch of await batchesToTakeIn(ask, loaded)) {
      behindSince = batch.committedAt;
      await takeInBatch(ask, loaded, batch, signal);
    }
  }

  async function takeInAll(): Promise<void> {
    for (let newest = await look(); newest !== undefined; newest = await look()) {
      signal.throwIfAborted();
      await takeIn(newest);
    }
  }

  /** One run at a time; who asks during a run gets one more after it. */
  async function catchUp(): Promise<void> {
    again = true;
    running ??= (async () => {
      try {
        while (again && !signal.aborted) {
          again = false;
          await takeInAll();
        }
      } finally {
        running = undefined;
      }
    })();
    await running;
  }

  async function tryToCatchUp(): Promise<void> {
    try {
      await catchUp();
      if (failing) log.info({}, 'the database answers again');
      failing = false;
    } catch (error) {
      if (signal.aborted) return;
      if (!failing) {
        log.warn({ error: messageOf(error) }, 'new data cannot be read; trying again');
      }
      failing = true;
    }
  }

  function lookSoon(): void {
    if (!signal.aborted) void tryToCatchUp();
  }

  /** Taking much in takes its time; what is shown meanwhile is behind, but the primary is there. */
  async function ping(): Promise<void> {
    if (isPinging) return;
    isPinging = true;
    const askedAt = performance.now();
    await listener.rows('SELECT').then(
      () => freshness.seen(askedAt),
      // Who takes in will notice.
      () => undefined,
    );
    isPinging = false;
  }

  const timer = setInterval(() => {
    if (running === undefined) lookSoon();
    else void ping();
  }, LOOK_MS);
  timer.unref();
  lookSoon();

  return {
    get shown() {
      return shown;
    },
    freshness,
    get lastCommitAt() {
      return lastCommitAt;
    },
    lagSeconds() {
      const behind = behindSince === undefined ? 0 : Math.floor(Date.now() / 1000) - behindSince;
      return Math.max(0, behind, freshness.ageSeconds);
    },
    catchUp,
    lookSoon,
    async close() {
      clearInterval(timer);
      stopping.abort();
      await listener.close();
      await running?.catch(() => undefined);
    },
  };
}
