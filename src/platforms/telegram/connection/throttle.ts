import type { Transformer } from 'grammy';
import { sleep } from '#base/waiting';
import type { FloodLimits } from '#platforms/telegram/limits';
import { FloodWindow } from './flood-window.ts';
import type { SharedWindows } from './shared-windows.ts';

/** Chats we remember before removing idle ones. */
const CHATS_KEPT = 1_000;
const CHAT_WINDOW_MS = 3_000;
const GROUP_WINDOW_MS = 60_000;
/** Longer than Telegram's second: evenly spaced calls may arrive in bursts. */
const ALL_WINDOW_MS = 1_300;
/** Calls that send or edit a message. Telegram doesn't count chat actions. */
const MESSAGES = /^(?:send(?!ChatAction)|edit)/;

export interface ThrottleOptions {
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
    const windows = [new FloodWindow(limits.chat, CHAT_WINDOW_MS)];
    // Groups and channels have negative ids.
    if (chat.startsWith('-')) windows.push(new FloodWindow(limits.group, GROUP_WINDOW_MS));
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
