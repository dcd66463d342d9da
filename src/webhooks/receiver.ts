import type { Logger } from '#base';
import type { HeldDelivery } from './store.ts';
import type { SendResult } from './webhook.ts';

/** Milliseconds. */
export interface ReceiverTimings {
  /** The delay after a number of consecutive failures. */
  readonly backoff: (failures: number) => number;
  /** The longest Retry-After that is followed. */
  readonly longestRetryAfter: number;
}

/** If this many deliveries fail in a row, the receiver counts as down. */
const DOWN_AFTER = 5;
/** A receiver that's down still gets a new delivery now and then: perhaps it only rejects the old ones. */
const LONGEST_FRESH_WAIT_MS = 600_000;

/** A receiver's recent responses. Times are monotonic. */
export class Receiver {
  readonly #webhook: string;
  readonly #timings: ReceiverTimings;
  readonly #log: Logger;
  /** The deliveries that have failed since the last success. */
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

  /** The end of its Retry-After. */
  get quietUntil(): number {
    return this.#quietUntil;
  }

  /** When to send something new. */
  get freshAt(): number {
    return this.#freshAt;
  }

  /** The result of the last failed attempt. */
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

  /** @returns its Retry-After in milliseconds */
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
