import type { Api, Bot } from 'grammy';
import type { Update } from 'grammy/types';
import type { Logger } from '#core/logger';
import { faultOf } from '#platforms/telegram/connection/faults';
import type { Health } from '#platforms/telegram/connection/health';
import type { Ownership } from '#platforms/telegram/connection/ownership';
import type { UnderWay } from '#platforms/telegram/connection/under-way';
import { Backoff, type BackoffRange } from '#runtime/backoff';
import { sleep } from '#runtime/sleep';

/** Times that tests shorten. */
export interface Timing {
  readonly backoff: BackoffRange;
  /** Seconds that a poll waits for an update. */
  readonly pollSeconds: number;
  /** Seconds after which a call is given up. */
  readonly callSeconds: number;
  /** Milliseconds that updates under way get when the bot is stopped. */
  readonly stopMs: number;
  /** Milliseconds that Telegram gets, after that, to hear what was handled. */
  readonly confirmMs: number;
  /** Milliseconds without a conflict after which it counts as over. */
  readonly steadyMs: number;
  /** Milliseconds between two looks at whether the webhook still works. */
  readonly webhookCheckMs: number;
  /** Milliseconds that the inbox has to take an update; after that Telegram keeps it. */
  readonly inboxMs: number;
  /** Milliseconds between two looks for what dead replicas have left. */
  readonly takeOverMs: number;
  /** Milliseconds between two times that this replica says that it is the one that polls. */
  readonly turnMs: number;
  /** Milliseconds after which it is given up to find out what somebody may do. */
  readonly rightsMs: number;
  /** Milliseconds after which people are named by their ids alone. */
  readonly namesMs: number;
  /** Milliseconds that a request to join waits for its answer. */
  readonly joinMs: number;
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
};

/** What polling and webhook share. */
export interface TelegramSession {
  readonly bot: Bot;
  readonly poller: Api;
  readonly health: Health;
  readonly log: Logger;
  readonly timing: Timing;
  readonly wanted: readonly UpdateKind[];
  readonly underWay: UnderWay;
  readonly ownership: Ownership;
  /** Ends every wait. */
  readonly signal: AbortSignal;
  /** Finds out who the bot is; at once when that is known. */
  connect(until: AbortSignal): Promise<void>;
  /** Handles an update; never rejects. @param isAgain whether another replica may have done so */
  readonly dispatch: (update: Update, isAgain: boolean) => Promise<void>;
}

/** Updates that we have an answer to; others are not even sent. */
export const QUESTIONS = ['message', 'callback_query', 'inline_query'] as const;
/** Those that gating needs beside them. */
export const JOINS = ['chat_join_request', 'chat_member', 'my_chat_member'] as const;
type UpdateKind = (typeof QUESTIONS)[number] | (typeof JOINS)[number];

/** A way of getting updates. */
export interface Updates {
  /** No new ones from now on; those under way are answered, within bounds. */
  stop(): Promise<void>;
}

/** Waits after faults, longer every time, and says what is wrong. */
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
