import { hash } from 'node:crypto';
import { RetryableError } from '#base';
import type { SharedBudget } from '#cluster';
import type { FloodWindow } from './flood-window.ts';

export interface SharedWindowsOptions {
  /** Without it this replica always limits itself to its share. */
  readonly budget: SharedBudget | undefined;
  /** Number of replicas sending for this bot. */
  readonly replicas: () => number;
  /** Only a hash of the bot's id is shared. */
  readonly token: string;
}

/**
 * Rate windows shared by all replicas, as Telegram counts per bot. While the shared budget is
 * unavailable, each replica limits itself to its share.
 */
export class SharedWindows {
  readonly #options: SharedWindowsOptions;
  readonly #bot: string;

  constructor(options: SharedWindowsOptions) {
    this.#options = options;
    this.#bot = /^\d+(?=:)/.exec(options.token)?.[0] ?? '';
  }

  /** @param name identifies the window within the bot. @returns milliseconds to wait */
  async take(window: FloodWindow, name: string): Promise<number> {
    const { most } = window;
    if (most === Number.POSITIVE_INFINITY) return 0;
    const wait = await this.#takeForAll(window, name);
    if (wait !== undefined) {
      // Recorded here too, in case the budget is unavailable next time.
      window.note(performance.now() + wait);
      return wait;
    }
    const share = Math.floor(most / Math.max(1, this.#options.replicas()));
    return window.take(performance.now(), Math.max(1, share));
  }

  async #takeForAll({ most, length }: FloodWindow, name: string): Promise<number | undefined> {
    // Hashed: others with access to the database mustn't learn chat ids.
    const key = `telegram:${hash('sha256', `${this.#bot} ${name}`).slice(0, 32)}`;
    try {
      return await this.#options.budget?.take(key, most, length);
    } catch (error) {
      if (error instanceof RetryableError) return undefined;
      throw error;
    }
  }
}
