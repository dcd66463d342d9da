import { randomBytes } from 'node:crypto';
import type { Standings } from '#reputation/standings';
import type { UnscoredCause } from '#storage/store';

/** A batch's id and a random name, which differs from those of other histories. */
export interface BatchName {
  readonly id: number;
  readonly uid: string;
}

/** The position of an empty ledger. */
export const NO_BATCH: BatchName = { id: 0, uid: 'none' };

/** Marks revisions that no other replica can have. */
const replica = randomBytes(6).toString('hex');

/** What was loaded from a ledger, and how much of it that is. */
export interface LoadedLedger {
  readonly standings: Standings;
  readonly position: LedgerPosition;
}

/** How far a ledger was applied. */
export class LedgerPosition {
  /** The newest batch that anything applied may come from. */
  newest: BatchName = NO_BATCH;
  /** The newest batch that is applied completely. */
  complete: BatchName = NO_BATCH;
  /** Its commit time in seconds since 1970; 0 if there is none. */
  committedAt = 0;
  /** Newest ledger row applied. */
  seq = 0;
  /** Score version whose activities are applied; 0 for none. */
  edition = 0;
  /** Newest applied change of what they granted. */
  change = 0;
  /** All wallets up to this number are applied. */
  wallets = 0;
  /** Newest batch that wrote an applied badge, or name. */
  badges = 0;
  names = 0;
  /** Set while newer names are applied only in part. */
  isBetween = false;
  /** The newest batch from which times of awards may come. */
  awardsAsOf = 0;
  /** The latest commit time of all batches that are applied completely. */
  #latestAt = 0;
  #changes = 0;
  #named = { changes: -1, text: '' };

  /** Id of the newest batch that is applied completely. */
  get batch(): number {
    return this.complete.id;
  }

  /** Whether an older batch has a later time, as the clock was set back: then no date tells what is newer. */
  get isUndated(): boolean {
    return this.committedAt < this.#latestAt;
  }

  /** @param latestAt of all batches up to it */
  completed(batch: BatchName, committedAt: number, latestAt = committedAt): void {
    this.complete = batch;
    this.committedAt = committedAt;
    this.#latestAt = Math.max(this.#latestAt, latestAt);
  }

  /** Call it after every change. */
  changed(): void {
    this.#changes += 1;
  }

  /** Identifies what is applied: replicas with the same data have the same revision. */
  get revision(): string {
    if (this.#named.changes !== this.#changes) {
      this.#named = { changes: this.#changes, text: this.#text() };
    }
    return this.#named.text;
  }

  #text(): string {
    const { newest, batch, badges, names, seq, change } = this;
    const text = `${newest.uid}.${batch}.${badges}.${names}.${seq}.${change}`;
    // Replicas take in times of awards as of different batches; after those, they agree.
    const isOwn = this.isBetween || this.awardsAsOf > batch;
    return isOwn ? `${text}.${replica}-${this.#changes}` : text;
  }
}

/** After this long without an answer from the database, we can't know what's in it. */
const UNSEEN_MS = 3_000;
/** Data counts as behind if it doesn't show a possible commit after this long. */
const BEHIND_MS = 10_000;
/** How often to repeat a query that costs nothing. */
const GLANCE_MS = 1_000;

/** How certain it is that all commits are shown. */
interface Staleness {
  readonly isStale: boolean;
  /** Whole seconds since all commits were shown; 0 for the first few. */
  readonly ageSeconds: number;
}

const FRESH: Staleness = { isStale: false, ageSeconds: 0 };

/**
 * Tracks how far what is shown is behind what is committed, by this process's monotonic clock
 * alone: whatever isn't shown was committed after the last query that found everything shown.
 * Commit times don't count, because they are by another machine's clock.
 */
export class Freshness {
  readonly #glance: (() => void) | undefined;
  #seenAt: number;
  #shownAsOf: number;
  #glancedAt = Number.NEGATIVE_INFINITY;
  /** Whether a chain is still being read: everything committed is shown, but it isn't all yet. */
  isPartial = false;
  #isSuspect = false;
  /** When a query failed, if none has succeeded since. */
  #failedAt: number | undefined;
  /** Since when evidence has gone unscored, for each cause. */
  readonly #unscoredSince = new Map<UnscoredCause, number>();

  /**
   * @param asOf when all commits were shown, by performance.now()
   * @param glance where the database answers immediately: queries it before data is reported as old
   */
  constructor(asOf: number, glance?: () => void) {
    this.#seenAt = asOf;
    this.#shownAsOf = asOf;
    this.#glance = glance;
  }

  /** The database answered. @param askedAt when it was queried, by performance.now() */
  seen(askedAt: number): void {
    this.#seenAt = Math.max(this.#seenAt, askedAt);
    if (this.#failedAt !== undefined && askedAt >= this.#failedAt) this.#failedAt = undefined;
  }

  /** The database didn't answer: what is shown counts as old until it answers a later query. */
  failed(): void {
    this.#failedAt = performance.now();
  }

  /** All commits up to then are shown, and what is shown can be trusted. */
  showsAll(asOf: number): void {
    this.seen(asOf);
    this.#shownAsOf = Math.max(this.#shownAsOf, asOf);
    this.#isSuspect = false;
  }

  /** What is shown may be wrong, until `showsAll`. */
  suspect(): void {
    this.#isSuspect = true;
  }

  /** Records whether scores lack evidence for a cause: it's committed but not scored, or couldn't be read. */
  markUnscored(cause: UnscoredCause, isUnscored: boolean): void {
    if (!isUnscored) this.#unscoredSince.delete(cause);
    else if (!this.#unscoredSince.has(cause)) this.#unscoredSince.set(cause, performance.now());
  }

  get isSuspect(): boolean {
    return this.#isSuspect;
  }

  get #isDoubtful(): boolean {
    return this.#isSuspect || this.#failedAt !== undefined || this.#unscoredSince.size > 0;
  }

  /** Whole seconds since everything in the ledger was shown; 0 for the first few. */
  get lagSeconds(): number {
    this.#glanceIfOld();
    return this.#secondsSince(this.#shownAsOf);
  }

  now(): Staleness {
    const now = this.#glanceIfOld();
    const age = now - this.#shownAsOf;
    // The common case, and on the path of every request.
    if (age <= UNSEEN_MS && !this.#isDoubtful) return FRESH;
    const isStale = this.#isDoubtful || now - this.#seenAt > UNSEEN_MS || age > BEHIND_MS;
    const asOf = Math.min(this.#shownAsOf, ...this.#unscoredSince.values());
    return { isStale, ageSeconds: this.#secondsSince(asOf) };
  }

  /** @returns the time, by performance.now() */
  #glanceIfOld(): number {
    const now = performance.now();
    if (
      this.#glance !== undefined &&
      now - this.#shownAsOf > GLANCE_MS &&
      now - this.#glancedAt > GLANCE_MS
    ) {
      this.#glancedAt = now;
      this.#glance();
    }
    return now;
  }

  #secondsSince(asOf: number): number {
    const age = performance.now() - asOf;
    return age > UNSEEN_MS || this.#failedAt !== undefined ? Math.floor(age / 1000) : 0;
  }
}
