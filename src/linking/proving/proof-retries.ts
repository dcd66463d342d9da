import { type Logger, messageOf } from '#base';
import { accountKey } from '#command';
import type { RequestKey } from './retry-proof.ts';

/** Beyond that, proofs are retried when their account asks. */
const MOST = 1_000;

/** Schedules work. @returns a function that cancels it */
export type Scheduler = (milliseconds: number, work: () => void) => () => void;

export interface ProofRetriesOptions {
  /** @returns seconds until the next retry; undefined once it's settled */
  readonly retry: (key: RequestKey) => Promise<number | undefined>;
  readonly after: Scheduler;
  readonly log: Logger;
}

/**
 * Retries proofs that couldn't be checked. Only this process knows of them; what it leaves undone
 * is in the store, and retried when its account asks.
 */
export class ProofRetries {
  readonly #options: ProofRetriesOptions;
  readonly #waiting = new Map<string, () => void>();
  readonly #running = new Set<Promise<void>>();
  #isOver = false;

  constructor(options: ProofRetriesOptions) {
    this.#options = options;
  }

  /** In this many seconds, unless it's already scheduled. */
  add(key: RequestKey, seconds: number): void {
    const name = `${key.way}:${accountKey(key.account)}`;
    if (this.#isOver || this.#waiting.has(name) || this.#waiting.size >= MOST) return;
    const cancel = this.#options.after(seconds * 1000, () => {
      this.#waiting.delete(name);
      const running = this.#retry(key).finally(() => this.#running.delete(running));
      this.#running.add(running);
    });
    this.#waiting.set(name, cancel);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    for (const cancel of this.#waiting.values()) cancel();
    this.#waiting.clear();
    await Promise.all(this.#running);
  }

  async #retry(key: RequestKey): Promise<void> {
    try {
      const seconds = await this.#options.retry(key);
      if (seconds !== undefined) this.add(key, seconds);
    } catch (error) {
      this.#options.log.error({ err: error }, `stopped retrying a proof: ${messageOf(error)}`);
    }
  }
}
