import { hash } from 'node:crypto';
import type { Transformer } from 'grammy';
import { RetryableError } from '#base';
import { sleep } from '#base/waiting';
import type { SharedBudget } from '#cluster';
import type { FloodLimits } from '#platforms/telegram/limits';

/** Sliding window: at most `most` in any `length` milliseconds of monotonic time. */
export class FloodWindow {
  readonly most: number;
  readonly length: number;
  #times: readonly number[] = [];

  constructor(most: number, length: number) {
    this.most = most;
    this.length = length;
  }

  /** Reserves the next slot. @param most slots available now. @returns milliseconds to wait for it */
  take(now: number, most = this.most): number {
    if (this.most === Number.POSITIVE_INFINITY) return 0;
    const before = this.#times.length < most ? undefined : this.#times.at(-most);
    const at = before === undefined ? now : Math.max(now, before + this.length);
    this.note(at);
    return at - now;
  }

  /** Records a slot that was reserved elsewhere. */
  note(at: number): void {
    this.#times = [...this.#times, at].slice(-this.most);
  }

  /** Whether no reserved slot can delay anything anymore. */
  isIdle(now: number): boolean {
    return (this.#times.at(-1) ?? 0) + this.length <= now;
  }
}

interface SharedWindowsOptions {
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

/** Chats we remember before removing idle ones. */
const CHATS_KEPT = 1_000;
/** Longer than Telegram's second: evenly spaced calls may arrive in bursts. */
const ALL_WINDOW_MS = 1_300;
/** Calls that send or edit a message. Telegram doesn't count chat actions. */
const MESSAGES = /^(?:send(?!ChatAction)|edit)/;

interface ThrottleOptions {
  readonly limits: FloodLimits;
  /** Aborts every wait. */
  readonly signal: AbortSignal;
  /** Required if several replicas send. */
  readonly shared: SharedWindows | undefined;
}

/** Delays messages before Telegram rejects them: a 429 costs more than the delay. */
export class Throttle {
  readonly #options: ThrottleOptions;
  readonly #all: FloodWindow;
  readonly #chats = new Map<string, readonly FloodWindow[]>();
  #forgetAt = CHATS_KEPT;

  constructor(options: ThrottleOptions) {
    this.#options = options;
    this.#all = new FloodWindow(options.limits.all, ALL_WINDOW_MS);
  }

  readonly transformer: Transformer = async (prev, method, payload, signal) => {
    if (MESSAGES.test(method)) {
      const { chat_id: chat } = payload as { readonly chat_id?: number | string };
      // The chat's limit first: a slot in the global one is only reserved once it can be used.
      if (chat !== undefined) {
        for (const each of this.#windowsOf(String(chat))) await this.#wait(each, `chat ${chat}`);
      }
      await this.#wait(this.#all, 'all');
    }
    return await prev(method, payload, signal);
  };

  async #wait(window: FloodWindow, name: string): Promise<void> {
    const { shared, signal } = this.#options;
    const delay =
      shared === undefined
        ? window.take(performance.now())
        : await shared.take(window, `${name} ${window.length}`);
    if (delay > 0) await sleep(delay, signal);
  }

  #windowsOf(chat: string): readonly FloodWindow[] {
    const known = this.#chats.get(chat);
    if (known !== undefined) return known;
    if (this.#chats.size >= this.#forgetAt) this.#forget();
    const { limits } = this.#options;
    const windows = [new FloodWindow(limits.chat, limits.chatMs)];
    // Groups and channels have negative ids.
    if (chat.startsWith('-')) windows.push(new FloodWindow(limits.group, limits.groupMs));
    this.#chats.set(chat, windows);
    return windows;
  }

  #forget(): void {
    const now = performance.now();
    for (const [key, windows] of this.#chats) {
      if (windows.every((each) => each.isIdle(now))) this.#chats.delete(key);
    }
    // Doubling keeps the amortized cost per chat low.
    this.#forgetAt = Math.max(CHATS_KEPT, 2 * this.#chats.size);
  }
}
