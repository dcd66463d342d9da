import { type Logger, RetryableError } from '#base';
import type { Lease } from '#cluster';
import type { ChangeFeed } from '#reputation';
import { Backlog, type PendingDelivery } from './backlog.ts';
import { Receiver, type ReceiverTimings } from './receiver.ts';
import type { WebhookAttempt, WebhookProgress, WebhookStore } from './store.ts';
import { eventsOf, MAX_REQUESTS, type OutgoingWebhook, type WebhookSender } from './webhook.ts';

/** Milliseconds. Tests use shorter ones. */
export interface ChannelTimings extends ReceiverTimings {
  /** How long a delivery may fail before the webhook is paused. */
  readonly giveUp: number;
  /** The longest time until progress is written. */
  readonly commitEvery: number;
  /** The delay after an error of the store. */
  readonly storeRetry: number;
  /** How long a cursor must be unknown: a replica that lags may not know it yet. */
  readonly goneAfter: number;
}

export interface ChannelParts {
  readonly webhook: OutgoingWebhook;
  readonly store: Pick<WebhookStore, 'begin' | 'commit'>;
  readonly feed: ChangeFeed;
  readonly sender: WebhookSender;
  readonly lease: Lease;
  /** Stops it, but waits for requests under way. */
  readonly stopping: AbortSignal;
  /** Aborts requests under way. */
  readonly killing: AbortSignal;
  readonly timings: ChannelTimings;
  readonly log: Logger;
  /** Seconds since 1970. */
  readonly now: () => number;
  readonly monotonic: () => number;
  readonly onAttempt: (attempt: WebhookAttempt) => void;
  /** Receives errors of the store, and undefined once it answers. */
  readonly onStore: (error: RetryableError | undefined) => void;
}

/** Entries of the feed to read at a time. */
const PAGE = 200;
/** Reading stops while this many events are ready to be sent. */
const ENOUGH_READY = 100;
/** Reading stops while this many events are held; the last page may exceed it. */
export const MOST_HELD_EVENTS = 5_000;
/** Failures before a batch is split. */
const SPLIT_AFTER = 2;
/** How many attempts to record in a commit. */
const MOST_ATTEMPTS = 100;

/**
 * Delivers one webhook's events while this replica holds its claim. What a receiver rejects is held, along
 * with later events of the same wallets. If a receiver is down, nothing more is read, so the feed itself is
 * the queue.
 */
export class Channel {
  readonly #parts: ChannelParts;
  readonly #backlog: Backlog;
  readonly #receiver: Receiver;
  readonly #round: number;
  /** Aborts requests. */
  readonly #ending: AbortSignal;
  #webhook: OutgoingWebhook;
  /** Everything up to here has been read. */
  #cursor: string;
  #hasNews = true;
  #goneSince: number | undefined;
  readonly #sending = new Set<Promise<void>>();
  #attempts: WebhookAttempt[] = [];
  #isDirty = false;
  #committedAt: number;
  #storeAwayUntil = Number.NEGATIVE_INFINITY;
  /** The receiver wants no more deliveries. */
  #isUnwanted = false;
  /** Another holder has begun, or the webhook was paused or removed. */
  #isOver = false;
  #wake = Promise.withResolvers<void>();

  private constructor(parts: ChannelParts, progress: WebhookProgress) {
    const { webhook, sender, timings, killing, lease, monotonic, log } = parts;
    this.#parts = parts;
    this.#webhook = webhook;
    this.#round = progress.round;
    this.#cursor = progress.cursor;
    this.#committedAt = monotonic();
    this.#ending = AbortSignal.any([killing, lease.signal]);
    this.#receiver = new Receiver(webhook.id, timings, log);
    this.#backlog = new Backlog(
      progress,
      (events) => sender.idOf(webhook.id, events),
      this.#committedAt,
    );
  }

  /**
   * @returns undefined if it's paused or removed
   * @throws RetryableError if the store is unavailable
   */
  static async open(parts: ChannelParts): Promise<Channel | undefined> {
    const progress = await parts.store.begin(parts.webhook.id);
    return progress && new Channel(parts, progress);
  }

  /** Applies changed settings, such as a secret. */
  update(webhook: OutgoingWebhook): void {
    this.#webhook = webhook;
  }

  /** Stops it, because it was paused or removed. */
  end(): void {
    this.#isOver = true;
    this.#wake.resolve();
  }

  /** How many events were read and not delivered. */
  get held(): number {
    return this.#backlog.size;
  }

  get isDown(): boolean {
    return this.#receiver.isDown;
  }

  /** Delivers until it's stopped or its round is over. Waits while the store is unavailable. */
  async run(): Promise<void> {
    const { feed, stopping, lease } = this.#parts;
    const wake = () => this.#wake.resolve();
    const unsubscribe = feed.subscribe(() => {
      this.#hasNews = true;
      wake();
    });
    stopping.addEventListener('abort', wake);
    lease.signal.addEventListener('abort', wake);
    try {
      while (!this.#isEnding) {
        this.#wake = Promise.withResolvers();
        if (!this.#isStoreAway) await this.#withStore(() => this.#step());
        if (!this.#isEnding && !this.#canReadOn) await this.#untilNext();
      }
    } finally {
      unsubscribe();
      stopping.removeEventListener('abort', wake);
      lease.signal.removeEventListener('abort', wake);
      await Promise.allSettled(this.#sending);
    }
    if (!this.#isOver) await this.#withStore(() => this.#commit());
  }

  async #step(): Promise<void> {
    await this.#read();
    await this.#send();
    if (this.#isDirty && (this.#isTimeToCommit || this.#isUnwanted)) await this.#commit();
  }

  async #withStore(work: () => Promise<void>): Promise<void> {
    const { onStore, monotonic, timings } = this.#parts;
    try {
      await work();
      onStore(undefined);
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      onStore(error);
      this.#storeAwayUntil = monotonic() + timings.storeRetry;
    }
  }

  get #isStoreAway(): boolean {
    return this.#parts.monotonic() < this.#storeAwayUntil;
  }

  get #isEnding(): boolean {
    return this.#isOver || this.#parts.stopping.aborted || this.#parts.lease.signal.aborted;
  }

  get #hasRoom(): boolean {
    const enough = this.isDown ? 1 : ENOUGH_READY;
    return this.#backlog.size < MOST_HELD_EVENTS && this.#backlog.ready(enough) < enough;
  }

  get #canReadOn(): boolean {
    const isFree = this.#sending.size < MAX_REQUESTS;
    return this.#hasNews && this.#hasRoom && isFree && !this.#isStoreAway;
  }

  /** How many requests may be under way. */
  get #most(): number {
    return this.isDown ? 1 : MAX_REQUESTS;
  }

  async #read(): Promise<void> {
    const { feed, monotonic, timings } = this.#parts;
    if (!this.#hasNews || !this.#hasRoom) return;
    // Reset before reading: a commit during the read sets it again.
    this.#hasNews = false;
    const query = { after: this.#cursor, limit: PAGE, chain: this.#webhook.chain };
    const page = await feed.read(query).catch((error: unknown) => {
      this.#hasNews = true;
      throw error;
    });
    if (page === 'gone') {
      this.#hasNews = true;
      this.#goneSince ??= monotonic();
      this.#storeAwayUntil = monotonic() + timings.storeRetry;
      if (monotonic() - this.#goneSince < timings.goneAfter) return;
      this.#cursor = feed.head();
      await this.#commit(GONE);
      return;
    }
    this.#goneSince = undefined;
    this.#backlog.add(page.changes.flatMap((entry) => eventsOf(entry, this.#webhook)));
    if (page.next !== this.#cursor) this.#isDirty = true;
    this.#cursor = page.next;
    if (page.hasMore) this.#hasNews = true;
  }

  /** Sends what can be sent now. */
  async #send(): Promise<void> {
    const { lease, monotonic } = this.#parts;
    while (!this.#isEnding && !this.#isUnwanted && this.#sending.size < this.#most) {
      const now = monotonic();
      if (now < this.#receiver.quietUntil) return;
      // Checked before each request: a suspended replica may have lost the webhook to another.
      if (this.#nextAt <= now && !(await lease.isHeld())) this.#isOver = true;
      const next = this.#isEnding ? undefined : this.#take(now);
      if (next === undefined) return;
      next.isSending = true;
      const sent = this.#deliver(next).finally(() => {
        next.isSending = false;
        this.#isDirty = true;
        this.#sending.delete(sent);
        this.#wake.resolve();
      });
      this.#sending.add(sent);
    }
  }

  #take(now: number): PendingDelivery | undefined {
    const due = this.#backlog.nextDue();
    if (due !== undefined && due.dueAt <= now) return due;
    return now < this.#receiver.freshAt ? undefined : this.#backlog.compose(now);
  }

  async #deliver(delivery: PendingDelivery): Promise<void> {
    const { sender, monotonic, now, timings, onAttempt } = this.#parts;
    const startedAt = monotonic();
    const sent = await sender.send(this.#webhook, delivery, this.#ending);
    const endedAt = monotonic();
    // Its outcome is unknown, so it's sent again.
    if (!sent.isTaken && this.#ending.aborted) return;
    const attempt: WebhookAttempt = {
      at: now(),
      delivery: delivery.id,
      events: delivery.events.length,
      isTaken: sent.isTaken,
      result: sent.result,
      milliseconds: Math.round(endedAt - startedAt),
    };
    this.#attempts.push(attempt);
    if (this.#attempts.length > MOST_ATTEMPTS) this.#attempts.shift();
    onAttempt(attempt);
    if (sent.isTaken) {
      this.#backlog.settle(delivery);
      if (this.#receiver.taken()) this.#backlog.hasten(endedAt);
    } else {
      if (sent.isGone === true) this.#isUnwanted = true;
      const asked = this.#receiver.failed(delivery, sent, endedAt);
      const wait = Math.max(timings.backoff(delivery.failures + 1), asked);
      this.#backlog.fail(delivery, endedAt, wait);
      if (delivery.failures >= SPLIT_AFTER && !this.isDown) this.#backlog.split(delivery);
    }
  }

  get #isTimeToCommit(): boolean {
    const hasSettled = this.#sending.size === 0 && this.#backlog.ready(1) === 0;
    return hasSettled || this.#parts.monotonic() >= this.#commitAt;
  }

  get #commitAt(): number {
    return this.#committedAt + this.#parts.timings.commitEvery;
  }

  /** @param pauseReason pauses the webhook; by default as `#reasonToPause` says */
  async #commit(pauseReason = this.#reasonToPause()): Promise<void> {
    const { store, webhook, monotonic, now, log } = this.#parts;
    const changes = this.#backlog.changes();
    const attempts = this.#attempts;
    this.#attempts = [];
    this.#isDirty = this.#sending.size > 0;
    this.#committedAt = monotonic();
    const pause = pauseReason === undefined ? undefined : { at: now(), reason: pauseReason };
    const commit = { ...changes, cursor: this.#cursor, attempts, pause };
    try {
      if (!(await store.commit(webhook.id, this.#round, commit))) this.#isOver = true;
    } catch (error) {
      this.#isDirty = true;
      // The next step tries again: one that only reads and sends would pass for the store's recovery.
      this.#committedAt = Number.NEGATIVE_INFINITY;
      this.#attempts = [...attempts, ...this.#attempts].slice(-MOST_ATTEMPTS);
      throw error;
    }
    this.#backlog.written(changes);
    if (pauseReason === undefined || this.#isOver) return;
    this.#isOver = true;
    log.warn({ webhook: webhook.id, reason: pauseReason }, 'paused a webhook');
  }

  /** If a delivery has failed for too long, or the receiver wants no more. */
  #reasonToPause(): string | undefined {
    if (this.#isUnwanted) return UNWANTED;
    if (this.#backlog.failingSeconds * 1000 < this.#parts.timings.giveUp) return undefined;
    return `A delivery has failed for three days. The last attempt: ${this.#receiver.lastFailure}.`;
  }

  /** When there's something to send; negative infinity for now. */
  get #nextAt(): number {
    if (this.#sending.size >= this.#most) return Number.POSITIVE_INFINITY;
    const { freshAt, quietUntil } = this.#receiver;
    const dueAt = this.#backlog.nextDue()?.dueAt ?? Number.POSITIVE_INFINITY;
    const isReady = this.#backlog.ready(1) > 0;
    return Math.max(quietUntil, isReady ? Math.min(freshAt, dueAt) : dueAt);
  }

  /** Waits for news, the end of a request, or the next time something is due. */
  async #untilNext(): Promise<void> {
    const commitAt = this.#isDirty ? this.#commitAt : Number.POSITIVE_INFINITY;
    const at = Math.max(this.#storeAwayUntil, Math.min(commitAt, this.#nextAt));
    const isRetry = this.#isStoreAway && at === Number.POSITIVE_INFINITY;
    const wait = (isRetry ? this.#storeAwayUntil : at) - this.#parts.monotonic();
    const { promise, resolve } = this.#wake;
    const timer = wait < LONGEST_WAIT ? setTimeout(resolve, Math.max(0, wait)) : undefined;
    await promise;
    clearTimeout(timer);
  }
}

/** Node's timers fire at once beyond this. */
const LONGEST_WAIT = 2 ** 31 - 1;

const UNWANTED =
  'The receiver answered HTTP 410 (Gone), by which it asks for no more deliveries. Resume it once the receiver takes them again.';

const GONE =
  'The database no longer knows what was delivered last, or what followed: it was restored from a backup, lost its newest commits, or no longer keeps the changes since. Read the leaderboard again, and resume it: it goes on with what it holds and what was committed since.';
