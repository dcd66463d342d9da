import type { Api, Bot } from 'grammy';
import type { Update } from 'grammy/types';
import { type BackoffRange, type Logger, ProblemLog } from '#base';
import { Backoff, sleep } from '#base/waiting';
import { type Fault, faultOf } from './faults.ts';
import type { InFlightUpdates, Ownership } from './in-flight.ts';

export interface Timing {
  readonly backoff: BackoffRange;
  /** Seconds a poll waits for an update. */
  readonly pollSeconds: number;
  /** Timeout of a call, in seconds. */
  readonly callSeconds: number;
  /** Milliseconds for updates in flight to finish when the bot stops. */
  readonly stopMs: number;
  /** Milliseconds to confirm handled updates after that. */
  readonly confirmMs: number;
  /** Milliseconds without a conflict after which it counts as over. */
  readonly steadyMs: number;
  /** Milliseconds between webhook checks. */
  readonly webhookCheckMs: number;
  /** Milliseconds for the inbox to store an update; otherwise Telegram keeps it. */
  readonly inboxMs: number;
  /** Milliseconds between searches for updates left by dead replicas. */
  readonly takeOverMs: number;
  /** Milliseconds between renewals of the polling claim. */
  readonly turnMs: number;
  /** Timeout for looking up a user's rights, in milliseconds. */
  readonly rightsMs: number;
  /** Timeout for looking up names, in milliseconds; after that we show ids. */
  readonly namesMs: number;
  /** Timeout for answering a join request, in milliseconds. */
  readonly joinMs: number;
  /** Milliseconds between questions for the bot's own name. */
  readonly identityMs: number;
  /** Milliseconds within which all of an album arrives. */
  readonly albumMs: number;
}

export const TIMING: Timing = {
  backoff: { first: 1_000, most: 60_000 },
  pollSeconds: 30,
  callSeconds: 15,
  stopMs: 5_000,
  confirmMs: 2_000,
  steadyMs: 60_000,
  webhookCheckMs: 60_000,
  inboxMs: 1_000,
  takeOverMs: 1_000,
  turnMs: 2_000,
  rightsMs: 5_000,
  namesMs: 3_000,
  joinMs: 10_000,
  identityMs: 600_000,
  albumMs: 1_500,
};

/** Shared by polling and webhook. */
export interface TelegramSession {
  readonly bot: Bot;
  readonly poller: Api;
  readonly health: Health;
  readonly log: Logger;
  readonly timing: Timing;
  readonly wanted: readonly UpdateKind[];
  readonly underWay: InFlightUpdates;
  readonly ownership: Ownership;
  /** Aborts every wait. */
  readonly signal: AbortSignal;
  /** Fetches the bot's identity, unless it's known. */
  connect(until: AbortSignal): Promise<void>;
  /** Never rejects. @param isAgain whether another replica may have handled it */
  readonly dispatch: (update: Update, isAgain: boolean) => Promise<void>;
}

/** The only updates we subscribe to, */
export const QUESTIONS = ['message', 'edited_message', 'callback_query', 'inline_query'] as const;
/** and those that gating needs in addition. */
export const JOINS = [
  'chat_join_request',
  'chat_member',
  'my_chat_member',
  'channel_post',
  'edited_channel_post',
] as const;
type UpdateKind = (typeof QUESTIONS)[number] | (typeof JOINS)[number];

export interface Updates {
  /** Accepts no more updates, and waits for those in flight up to a deadline. */
  stop(): Promise<void>;
}

/** Reports faults, and waits after each with exponential backoff. */
export class Patience {
  readonly #link: TelegramSession;
  readonly #backoff: Backoff;

  constructor(link: TelegramSession) {
    this.#link = link;
    this.#backoff = new Backoff(link.timing.backoff);
  }

  good(detail: string): void {
    if (this.#link.health.good(detail)) this.#backoff.reset();
  }

  async afterFault(error: unknown, signal: AbortSignal): Promise<void> {
    const fault = faultOf(error);
    this.#link.health.bad(fault);
    const asked = Math.min(fault.retryAfter * 1000, this.#link.timing.backoff.most);
    await sleep(Math.max(this.#backoff.next(), asked), signal);
  }
}

export interface Status {
  readonly ok: boolean;
  readonly detail: string;
}

/** Whether Telegram is available; logged once per change. */
export class Health {
  readonly #log: Logger;
  readonly #trouble: ProblemLog;
  readonly #steadyMs: number;
  #fault: Fault | undefined;
  #faultAt = 0;
  #detail = 'connecting';
  #ok = false;

  /** @param steadyMs how long until a conflict without repetition counts as over */
  constructor(log: Logger, steadyMs: number) {
    this.#log = log;
    this.#trouble = new ProblemLog(log);
    this.#steadyMs = steadyMs;
  }

  get status(): Status {
    return { ok: this.#ok, detail: this.#detail };
  }

  /** @returns false while an earlier fault may persist */
  good(detail: string): boolean {
    // Two competing pollers succeed in turns, so one successful poll proves little.
    const waiting =
      this.#fault?.kind === 'conflict' && performance.now() - this.#faultAt < this.#steadyMs;
    if (waiting) return false;
    if (!this.#ok) this.#log.info({}, `Telegram: ${detail}`);
    this.#fault = undefined;
    this.#trouble.resolve();
    this.#ok = true;
    this.#detail = detail;
    return true;
  }

  /** It no longer polls, so it can't be in anybody's way: the conflict was with the replica that took over. */
  standBy(): void {
    if (this.#fault?.kind === 'conflict') this.#fault = undefined;
  }

  bad(fault: Fault): void {
    this.#fault = fault;
    this.#faultAt = performance.now();
    this.#ok = false;
    this.#detail = fault.words;
    this.#trouble.report(fault.kind, 'warn', { kind: fault.kind }, `Telegram: ${fault.words}`);
  }

  stopped(): void {
    this.#ok = false;
    this.#detail = 'stopped';
  }
}
