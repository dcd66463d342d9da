import { hash } from 'node:crypto';
import { RetryableError } from '#core/errors';
import type { SharedBudget } from '#core/shared-budget';
import type { FloodWindow } from '#platforms/telegram/connection/flood-window';

export interface SharedWindowsOptions {
  /** Without it this replica always keeps to its share. */
  readonly budget: SharedBudget | undefined;
  /** Replicas that send for this bot now. */
  readonly replicas: () => number;
  /** Only the bot's id is taken of it, and only its hash is told. */
  readonly token: string;
}

/**
 * Takes places for all replicas together, as Telegram counts by bot. While that can't be had, this
 * replica keeps to its share of them.
 */
export class SharedWindows {
  readonly #options: SharedWindowsOptions;
  readonly #bot: string;

  constructor(options: SharedWindowsOptions) {
    this.#options = options;
    this.#bot = /^\d+(?=:)/.exec(options.token)?.[0] ?? '';
  }

  /** @param name tells the window from the bot's others. @returns how long to wait */
  async take(window: FloodWindow, name: string): Promise<number> {
    const { most } = window;
    if (most === Number.POSITIVE_INFINITY) return 0;
    const wait = await this.#takeForAll(window, name);
    if (wait !== undefined) {
      // Known here as well, should it be away next.
      window.note(performance.now() + wait);
      return wait;
    }
    const share = Math.floor(most / Math.max(1, this.#options.replicas()));
    return window.take(performance.now(), Math.max(1, share));
  }

  async #takeForAll({ most, length }: FloodWindow, name: string): Promise<number | undefined> {
    // A chat's id is nobody's business in a database that others may look into.
    const key = `telegram:${hash('sha256', `${this.#bot} ${name}`).slice(0, 32)}`;
    try {
      return await this.#options.budget?.take(key, most, length);
    } catch (error) {
      if (error instanceof RetryableError) return undefined;
      throw error;
    }
  }
}
