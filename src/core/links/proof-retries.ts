import { messageOf } from '#core/errors';
import { accountKey } from '#core/links/account';
import type { RequestKey } from '#core/links/retry-proof';
import type { Logger } from '#core/logger';

/** Those beyond are tried when their account asks how it went. */
const MOST = 1_000;

/** Does something later. @returns what keeps it from being done */
export type Scheduler = (milliseconds: number, work: () => void) => () => void;

export interface ProofRetriesOptions {
  /** @returns seconds until it is to be tried once more; undefined when it is settled */
  readonly retry: (key: RequestKey) => Promise<number | undefined>;
  readonly after: Scheduler;
  readonly log: Logger;
}

/**
 * Tries proofs again that could not be checked. Only this process knows of these; what it leaves
 * undone is in the store, and tried when its account asks again.
 */
export class ProofRetries {
  readonly #options: ProofRetriesOptions;
  readonly #waiting = new Map<string, () => void>();
  readonly #running = new Set<Promise<void>>();
  #isOver = false;

  constructor(options: ProofRetriesOptions) {
    this.#options = options;
  }

  /** In so many seconds, unless it waits already. */
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
