import type { Logger } from '#core/logger';
import type { SendResult } from './sender.ts';
import type { HeldDelivery } from './store.ts';

/** Milliseconds. */
export interface ReceiverTimings {
  /** Delay after a number of failures in a row. */
  readonly backoff: (failures: number) => number;
  /** The longest wait that a receiver may ask for. */
  readonly longestRetryAfter: number;
}

/** Of so many deliveries none was taken: the receiver counts as down. */
const DOWN_AFTER = 5;
/** One that's down gets something new now and then: perhaps it just can't take those. */
const LONGEST_FRESH_WAIT_MS = 600_000;

/** How a receiver has answered of late. Times are by a monotonic clock. */
export class Receiver {
  readonly #webhook: string;
  readonly #timings: ReceiverTimings;
  readonly #log: Logger;
  /** Numbers of deliveries that failed since one was taken. */
  readonly #failed = new Set<number>();
  #quietUntil = Number.NEGATIVE_INFINITY;
  #freshAt = Number.NEGATIVE_INFINITY;
  #lastFailure = '';

  constructor(webhook: string, timings: ReceiverTimings, log: Logger) {
    this.#webhook = webhook;
    this.#timings = timings;
    this.#log = log;
  }

  get isDown(): boolean {
    return this.#failed.size >= DOWN_AFTER;
  }

  /** Until when it asked to be left alone. */
  get quietUntil(): number {
    return this.#quietUntil;
  }

  /** When it may get something new. */
  get freshAt(): number {
    return this.#freshAt;
  }

  /** How the last failed attempt ended. */
  get lastFailure(): string {
    return this.#lastFailure;
  }

  /** @returns whether it was down until now */
  taken(): boolean {
    const wasDown = this.isDown;
    this.#failed.clear();
    this.#freshAt = Number.NEGATIVE_INFINITY;
    if (wasDown) this.#log.info({ webhook: this.#webhook }, 'a webhook delivers again');
    return wasDown;
  }

  /** @returns how long it asked to be left alone, in milliseconds */
  failed(delivery: Pick<HeldDelivery, 'number'>, sent: SendResult, now: number): number {
    const wasDown = this.isDown;
    const isNew = !this.#failed.has(delivery.number);
    this.#failed.add(delivery.number);
    this.#lastFailure = sent.result;
    if (this.isDown && !wasDown) {
      const fields = { webhook: this.#webhook, reason: sent.result };
      this.#log.warn(fields, "a webhook's receiver isn't taking deliveries; retrying");
    }
    if (this.isDown && isNew) {
      const wait = this.#timings.backoff(this.#failed.size - DOWN_AFTER + 1);
      this.#freshAt = now + Math.min(wait, LONGEST_FRESH_WAIT_MS);
    }
    const asked = (sent.retryAfterSeconds ?? 0) * 1000;
    if (asked === 0) return 0;
    const quiet = Math.min(asked, this.#timings.longestRetryAfter);
    this.#quietUntil = Math.max(this.#quietUntil, now + quiet);
    return quiet;
  }
}
