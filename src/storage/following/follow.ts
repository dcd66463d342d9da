import {
  type Logger,
  type MaybePromise,
  messageOf,
  ProblemLog,
  RetryableError,
  UserError,
} from '#base';
import { applySnapshot } from './apply-snapshot.ts';
import { type BatchName, Freshness, type LoadedLedger } from './position.ts';
import type { LedgerSnapshot } from './snapshot.ts';

/**
 * After a fault we reload everything immediately; after further faults, with exponential backoff.
 */
const RELOAD_MS = 1_000;
const RELOAD_MOST_MS = 300_000;
/** After this long without a fault, the backoff starts over. */
const CALM_MS = 600_000;

/** What the database says about its batches. */
export interface LedgerStatus {
  readonly newest: BatchName;
  /** Commit time in seconds since 1970; 0 if there is none. */
  readonly committedAt: number;
  /** The uid of the queried batch; undefined if it doesn't exist. */
  readonly knownUid: string | undefined;
}

/** A ledger to follow. A RetryableError from it means: try again. */
interface FollowedLedger {
  /** Queries the primary. @param known id of a batch */
  status(known: number): MaybePromise<LedgerStatus>;
  /** The same, where a query costs next to nothing. */
  readonly peek?: (known: number) => LedgerStatus;
  /** @param since a batch that the snapshot must contain */
  inSnapshot(since: BatchName, work: (snapshot: LedgerSnapshot) => Promise<void>): Promise<void>;
  /** Reloads everything. */
  load(): Promise<LoadedLedger>;
  /** Called while data is applied, when nothing else would notice that the database is down. */
  readonly ping?: () => Promise<unknown>;
  close(): void | Promise<void>;
}

export interface FollowOptions {
  readonly ledger: FollowedLedger;
  readonly start: LoadedLedger;
  /** When `start` was up to date with all commits, by performance.now(). */
  readonly startedAt: number;
  /** How often to check for new commits. */
  readonly pollMs: number;
  readonly log: Logger;
}

/** Keeps standings up to date with a ledger that any process may write to. */
export interface Follower {
  /** What is shown now; a new object after each reload. */
  readonly shown: LoadedLedger;
  readonly freshness: Freshness;
  /** Seconds since 1970 of the newest commit seen; 0 if there was none. */
  readonly lastCommitAt: number;
  /** Applies everything committed so far. @throws RetryableError */
  catchUp(): Promise<void>;
  /** Polls soon. */
  pollSoon(): void;
  /** Calls `wake` after each batch that is shown from now on. @returns a function that ends it */
  subscribe(wake: () => void): () => void;
  /** A query to the database failed: what is shown is stale until one succeeds. */
  markUnreachable(): void;
  /**
   * Call it once before showing anything: catches up with what was committed since the start was
   * loaded.
   */
  begin(): Promise<void>;
  close(): Promise<void>;
}

/** Follows a ledger until it is closed. */
export function follow({ ledger, start, startedAt, pollMs, log }: FollowOptions): Follower {
  const freshness = new Freshness(startedAt, ledger.peek && glance);
  const stopping = new AbortController();
  const { signal } = stopping;
  let shown = start;
  let lastCommitAt = start.position.committedAt;
  let running: Promise<void> | undefined;
  let again = false;
  /** Why everything must be reloaded. */
  let fault: unknown;
  const trouble = new ProblemLog(log);
  let isPinging = false;
  let reloadedAt = Number.NEGATIVE_INFINITY;
  let reloadWait = 0;
  const subscribers = new Set<() => void>();

  /**
   * @returns the newest batch, if there is something to apply. @throws Error if what is shown was
   * lost
   */
  function checkStatus(
    { newest, committedAt, knownUid }: LedgerStatus,
    askedAt: number,
  ): BatchName | undefined {
    const { position } = shown;
    freshness.seen(askedAt);
    lastCommitAt = committedAt;
    if (position.newest.id > 0 && knownUid !== position.newest.uid) {
      freshness.suspect();
      throw new Error('the database has lost commits that were already served');
    }
    if (newest.id > position.batch) return newest;
    freshness.showsAll(askedAt);
    return undefined;
  }

  function wake(): void {
    for (const each of subscribers) each();
  }

  async function readStatus(): Promise<LedgerStatus> {
    try {
      return await ledger.status(shown.position.newest.id);
    } catch (error) {
      freshness.failed();
      throw error;
    }
  }

  /** @returns whether there was something to apply */
  async function step(): Promise<boolean> {
    const askedAt = performance.now();
    const newest = checkStatus(await readStatus(), askedAt);
    if (newest === undefined) return false;
    let isOtherScoreVersion = false;
    await ledger.inSnapshot(newest, async (snapshot) => {
      isOtherScoreVersion = snapshot.head.edition !== shown.position.edition;
      if (!isOtherScoreVersion) await applySnapshot(snapshot, shown, signal, wake);
    });
    if (isOtherScoreVersion) {
      // Applied wallet by wallet, some would show the old rules and some the new.
      shown = await ledger.load();
      wake();
      log.info({ edition: shown.position.edition }, 'the live rules have changed');
      return true;
    }
    if (shown.position.batch >= newest.id) freshness.showsAll(askedAt);
    return true;
  }

  /** A fault may have left what is shown in any state. */
  async function reload(): Promise<void> {
    const now = performance.now();
    if (now - reloadedAt < reloadWait) {
      throw new RetryableError('The data is being reloaded. Try again in a moment.', {
        cause: fault,
      });
    }
    const isFirst = now - reloadedAt > CALM_MS;
    reloadWait = isFirst ? RELOAD_MS : Math.min(2 * reloadWait, RELOAD_MOST_MS);
    reloadedAt = now;
    log.error({ err: fault }, 'the served data may be wrong; reloading everything');
    shown = await ledger.load();
    fault = undefined;
    wake();
  }

  /** @returns whether there may be more */
  async function stepOrReload(): Promise<boolean> {
    signal.throwIfAborted();
    if (fault !== undefined) await reload();
    try {
      return await step();
    } catch (error) {
      const isOfTheMoment = error instanceof RetryableError || error instanceof UserError;
      if (isOfTheMoment || signal.aborted) throw error;
      fault = error;
      freshness.suspect();
      return true;
    }
  }

  async function takeInAll(): Promise<void> {
    while (await stepOrReload()) {
      // What was committed meanwhile comes next.
    }
  }

  /** Nothing else runs yet. If this fails, the next poll tries again and reports it. */
  async function begin(): Promise<void> {
    running = stepOrReload().then(
      () => undefined,
      () => undefined,
    );
    await running;
    running = undefined;
  }

  /** Runs one at a time; callers that arrive during a run share one more run after it. */
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
      trouble.resolve('reading new data again');
    } catch (error) {
      if (signal.aborted) return;
      const fields = { error: messageOf(error) };
      trouble.report('unread', 'warn', fields, 'could not read new data; retrying');
    }
  }

  function pollSoon(): void {
    if (!signal.aborted) void tryToCatchUp();
  }

  function doubt(): void {
    freshness.failed();
    pollSoon();
  }

  function glance(): void {
    if (running !== undefined || signal.aborted) return;
    const askedAt = performance.now();
    try {
      const status = ledger.peek?.(shown.position.newest.id);
      if (status !== undefined) checkStatus(status, askedAt);
    } catch {
      // The next poll will notice.
    }
  }

  /** Applying a lot takes a while; what is shown is behind meanwhile, but the database is up. */
  async function ping(): Promise<void> {
    if (isPinging || ledger.ping === undefined) return;
    isPinging = true;
    const askedAt = performance.now();
    await ledger.ping().then(
      () => freshness.seen(askedAt),
      // The run in progress will notice.
      () => undefined,
    );
    isPinging = false;
  }

  const timer = setInterval(() => {
    if (running === undefined) pollSoon();
    else void ping();
  }, pollMs);
  timer.unref();

  return {
    get shown() {
      return shown;
    },
    freshness,
    get lastCommitAt() {
      return lastCommitAt;
    },
    catchUp,
    pollSoon: pollSoon,
    subscribe(each) {
      // A new function, so that a caller that subscribes twice is called twice.
      const own = () => each();
      subscribers.add(own);
      return () => void subscribers.delete(own);
    },
    markUnreachable: doubt,
    begin,
    async close() {
      clearInterval(timer);
      stopping.abort();
      await ledger.close();
      await running?.catch(() => undefined);
    },
  };
}
