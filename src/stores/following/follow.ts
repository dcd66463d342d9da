import { messageOf, RetryableError, UserError } from '#core/errors';
import type { Logger } from '#core/logger';
import type { MaybePromise } from '#core/maybe-promise';
import { SayOnce } from '#runtime/say-once';
import { applySnapshot } from './apply-snapshot.ts';
import { Freshness } from './freshness.ts';
import type { BatchName, LoadedLedger } from './position.ts';
import type { LedgerSnapshot } from './snapshot.ts';

/** After a fault everything is loaded anew at once; after the next ones with waits that double. */
const RELOAD_MS = 1_000;
const RELOAD_MOST_MS = 300_000;
/** A fault after so long without one is the first again. */
const CALM_MS = 600_000;

/** What the database says about its batches. */
export interface LedgerStatus {
  readonly newest: BatchName;
  /** Seconds since 1970 when that was committed; 0 when there is none. */
  readonly committedAt: number;
  /** What the batch that was asked about is called there; undefined when it isn't there. */
  readonly knownUid: string | undefined;
}

/** A ledger that is followed. What it throws is to be tried again if it is a RetryableError. */
interface FollowedLedger {
  /** Asks the database that takes the writes. @param known id of a batch */
  status(known: number): MaybePromise<LedgerStatus>;
  /** The same where an answer costs next to nothing. */
  readonly peek?: (known: number) => LedgerStatus;
  /** @param since a batch that the snapshot must have */
  inSnapshot(since: BatchName, work: (snapshot: LedgerSnapshot) => Promise<void>): Promise<void>;
  /** Loads everything anew. */
  load(): Promise<LoadedLedger>;
  /** Asked while data is taken in, where nobody knows meanwhile whether the database is there. */
  readonly ping?: () => Promise<unknown>;
  close(): void | Promise<void>;
}

export interface FollowOptions {
  readonly ledger: FollowedLedger;
  readonly start: LoadedLedger;
  /** When `start` showed all that was committed, by performance.now(). */
  readonly startedAt: number;
  /** How often it is looked whether there is anything new. */
  readonly pollMs: number;
  readonly log: Logger;
}

/** Keeps standings up to date with a ledger that any process writes. */
export interface Follower {
  /** What is shown now; another object after everything was loaded anew. */
  readonly shown: LoadedLedger;
  readonly freshness: Freshness;
  /** Seconds since 1970 of the newest commit that was seen; 0 when there was none. */
  readonly lastCommitAt: number;
  /** Takes in all that is committed now. @throws RetryableError */
  catchUp(): Promise<void>;
  /** Looks soon. */
  pollSoon(): void;
  /** The database gave somebody no answer: what is shown is stale until it does. */
  markUnreachable(): void;
  /** To be called once, before anything is shown: looks what has come in since the start was loaded. */
  begin(): Promise<void>;
  close(): Promise<void>;
}

/** Follows a ledger until it is closed. */
export function follow({ ledger, start, startedAt, pollMs: lookMs, log }: FollowOptions): Follower {
  const freshness = new Freshness(startedAt, ledger.peek && glance);
  const stopping = new AbortController();
  const { signal } = stopping;
  let shown = start;
  let lastCommitAt = start.position.committedAt;
  let running: Promise<void> | undefined;
  let again = false;
  /** Why everything must be loaded anew. */
  let fault: unknown;
  const trouble = new SayOnce(log);
  let isPinging = false;
  let reloadedAt = Number.NEGATIVE_INFINITY;
  let reloadWait = 0;

  /** @returns the newest batch, if there is something to take in. @throws Error when what is shown was lost */
  function judge(
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

  async function look(): Promise<LedgerStatus> {
    try {
      return await ledger.status(shown.position.newest.id);
    } catch (error) {
      freshness.failed();
      throw error;
    }
  }

  /** @returns whether there was something to take in */
  async function step(): Promise<boolean> {
    const askedAt = performance.now();
    const newest = judge(await look(), askedAt);
    if (newest === undefined) return false;
    let isOtherEdition = false;
    await ledger.inSnapshot(newest, async (snapshot) => {
      isOtherEdition = snapshot.head.edition !== shown.position.edition;
      if (!isOtherEdition) await applySnapshot(snapshot, shown, signal);
    });
    if (isOtherEdition) {
      // Wallet after wallet, some would show the old rules and some the new.
      shown = await ledger.load();
      log.info({ edition: shown.position.edition }, 'the live rules have changed');
      return true;
    }
    if (shown.position.batch >= newest.id) freshness.showsAll(askedAt);
    return true;
  }

  /** Nobody knows what the fault has done to what is shown. */
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

  /** Nothing else runs yet. What can't be had is tried again, and told, by the next look. */
  async function begin(): Promise<void> {
    running = stepOrReload().then(
      () => undefined,
      () => undefined,
    );
    await running;
    running = undefined;
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
      trouble.over('reading new data again');
    } catch (error) {
      if (signal.aborted) return;
      const fields = { error: messageOf(error) };
      trouble.say('unread', 'warn', fields, 'could not read new data; retrying');
    }
  }

  function lookSoon(): void {
    if (!signal.aborted) void tryToCatchUp();
  }

  function doubt(): void {
    freshness.failed();
    lookSoon();
  }

  function glance(): void {
    if (running !== undefined || signal.aborted) return;
    const askedAt = performance.now();
    try {
      const look = ledger.peek?.(shown.position.newest.id);
      if (look !== undefined) judge(look, askedAt);
    } catch {
      // Who looks next will notice.
    }
  }

  /** Taking much in takes its time; what is shown meanwhile is behind, but the database is there. */
  async function ping(): Promise<void> {
    if (isPinging || ledger.ping === undefined) return;
    isPinging = true;
    const askedAt = performance.now();
    await ledger.ping().then(
      () => freshness.seen(askedAt),
      // Who takes in will notice.
      () => undefined,
    );
    isPinging = false;
  }

  const timer = setInterval(() => {
    if (running === undefined) lookSoon();
    else void ping();
  }, lookMs);
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
    pollSoon: lookSoon,
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
