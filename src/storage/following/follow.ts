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
export function follow(options: FollowOptions): Follower {
  return new LedgerFollower(options);
}

class LedgerFollower implements Follower {
  readonly freshness: Freshness;
  readonly #ledger: FollowedLedger;
  readonly #log: Logger;
  readonly #stopping = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #subscribers = new Set<() => void>();
  readonly #trouble: ProblemLog;
  #shown: LoadedLedger;
  #lastCommitAt: number;
  #running: Promise<void> | undefined;
  #again = false;
  #isPinging = false;
  /** Why everything must be reloaded. */
  #fault: unknown;
  #reloadedAt = Number.NEGATIVE_INFINITY;
  #reloadWait = 0;

  constructor({ ledger, start, startedAt, pollMs, log }: FollowOptions) {
    this.#ledger = ledger;
    this.#log = log;
    this.#trouble = new ProblemLog(log);
    this.#shown = start;
    this.#lastCommitAt = start.position.committedAt;
    this.freshness = new Freshness(startedAt, ledger.peek && (() => this.#glance()));
    this.#timer = setInterval(() => this.#poll(), pollMs);
    this.#timer.unref();
  }

  get shown(): LoadedLedger {
    return this.#shown;
  }

  get lastCommitAt(): number {
    return this.#lastCommitAt;
  }

  /** Nothing else runs yet. If this fails, the next poll tries again and reports it. */
  async begin(): Promise<void> {
    this.#running = this.#stepOrReload().then(
      () => undefined,
      () => undefined,
    );
    await this.#running;
    this.#running = undefined;
  }

  /** Runs one at a time; callers that arrive during a run share one more run after it. */
  async catchUp(): Promise<void> {
    this.#again = true;
    this.#running ??= this.#runUntilDone();
    await this.#running;
  }

  pollSoon(): void {
    if (!this.#stopping.signal.aborted) void this.#tryToCatchUp();
  }

  subscribe(wake: () => void): () => void {
    // A new function, so that a caller that subscribes twice is called twice.
    const own = () => wake();
    this.#subscribers.add(own);
    return () => void this.#subscribers.delete(own);
  }

  markUnreachable(): void {
    this.freshness.failed();
    this.pollSoon();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.#ledger.close();
    await this.#running?.catch(() => undefined);
  }

  #wake(): void {
    for (const each of this.#subscribers) each();
  }

  #poll(): void {
    if (this.#running === undefined) this.pollSoon();
    else void this.#ping();
  }

  async #tryToCatchUp(): Promise<void> {
    try {
      await this.catchUp();
      this.#trouble.resolve('reading new data again');
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      const fields = { error: messageOf(error) };
      this.#trouble.report('unread', 'warn', fields, 'could not read new data; retrying');
    }
  }

  async #runUntilDone(): Promise<void> {
    try {
      while (this.#again && !this.#stopping.signal.aborted) {
        this.#again = false;
        while (await this.#stepOrReload()) {
          // What was committed meanwhile comes next.
        }
      }
    } finally {
      this.#running = undefined;
    }
  }

  /** @returns whether there may be more */
  async #stepOrReload(): Promise<boolean> {
    const { signal } = this.#stopping;
    signal.throwIfAborted();
    if (this.#fault !== undefined) await this.#reload();
    try {
      return await this.#step();
    } catch (error) {
      const isOfTheMoment = error instanceof RetryableError || error instanceof UserError;
      if (isOfTheMoment || signal.aborted) throw error;
      this.#fault = error;
      this.freshness.suspect();
      return true;
    }
  }

  /** @returns whether there was something to apply */
  async #step(): Promise<boolean> {
    const askedAt = performance.now();
    const newest = this.#checkStatus(await this.#readStatus(), askedAt);
    if (newest === undefined) return false;
    if (await this.#applyUpTo(newest)) {
      if (this.#shown.position.batch >= newest.id) this.freshness.showsAll(askedAt);
      return true;
    }
    // Applied wallet by wallet, some would show the old rules and some the new.
    this.#shown = await this.#ledger.load();
    this.#wake();
    this.#log.info({ edition: this.#shown.position.edition }, 'the live rules have changed');
    return true;
  }

  /** @returns false, and nothing is applied, if other rules are live now */
  async #applyUpTo(newest: BatchName): Promise<boolean> {
    let isSameScoreVersion = true;
    await this.#ledger.inSnapshot(newest, async (snapshot) => {
      isSameScoreVersion = snapshot.head.edition === this.#shown.position.edition;
      if (!isSameScoreVersion) return;
      await applySnapshot(snapshot, this.#shown, this.#stopping.signal, () => this.#wake());
    });
    return isSameScoreVersion;
  }

  async #readStatus(): Promise<LedgerStatus> {
    try {
      return await this.#ledger.status(this.#shown.position.newest.id);
    } catch (error) {
      this.freshness.failed();
      throw error;
    }
  }

  /**
   * @returns the newest batch, if there is something to apply. @throws Error if what is shown was
   * lost
   */
  #checkStatus(
    { newest, committedAt, knownUid }: LedgerStatus,
    askedAt: number,
  ): BatchName | undefined {
    const { position } = this.#shown;
    this.freshness.seen(askedAt);
    this.#lastCommitAt = committedAt;
    if (position.newest.id > 0 && knownUid !== position.newest.uid) {
      this.freshness.suspect();
      throw new Error('the database has lost commits that were already served');
    }
    if (newest.id > position.batch) return newest;
    this.freshness.showsAll(askedAt);
    return undefined;
  }

  /** A fault may have left what is shown in any state. */
  async #reload(): Promise<void> {
    const now = performance.now();
    if (now - this.#reloadedAt < this.#reloadWait) {
      throw new RetryableError('The data is being reloaded. Try again in a moment.', {
        cause: this.#fault,
      });
    }
    const isFirst = now - this.#reloadedAt > CALM_MS;
    this.#reloadWait = isFirst ? RELOAD_MS : Math.min(2 * this.#reloadWait, RELOAD_MOST_MS);
    this.#reloadedAt = now;
    this.#log.error({ err: this.#fault }, 'the served data may be wrong; reloading everything');
    this.#shown = await this.#ledger.load();
    this.#fault = undefined;
    this.#wake();
  }

  /** Looks at the status while a request is answered, where a query costs next to nothing. */
  #glance(): void {
    if (this.#running !== undefined || this.#stopping.signal.aborted) return;
    const askedAt = performance.now();
    try {
      const status = this.#ledger.peek?.(this.#shown.position.newest.id);
      if (status !== undefined) this.#checkStatus(status, askedAt);
    } catch {
      // The next poll will notice.
    }
  }

  /** Applying a lot takes a while; what is shown is behind meanwhile, but the database is up. */
  async #ping(): Promise<void> {
    if (this.#isPinging || this.#ledger.ping === undefined) return;
    this.#isPinging = true;
    const askedAt = performance.now();
    await this.#ledger.ping().then(
      () => this.freshness.seen(askedAt),
      // The run in progress will notice.
      () => undefined,
    );
    this.#isPinging = false;
  }
}
