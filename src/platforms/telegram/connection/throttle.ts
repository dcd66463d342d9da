import type { Transformer } from 'grammy';
import { FloodWindow } from '#platforms/telegram/connection/flood-window';
import type { SharedWindows } from '#platforms/telegram/connection/shared-windows';
import type { FloodLimits } from '#platforms/telegram/limits';
import { sleep } from '#runtime/sleep';

/** Chats that are remembered before it is looked which of them can't matter any more. */
const CHATS_KEPT = 1_000;
const CHAT_WINDOW_MS = 3_000;
const GROUP_WINDOW_MS = 60_000;
/** Longer than Telegram's second: what is sent evenly may arrive bunched. */
const ALL_WINDOW_MS = 1_300;
/** Sends or edits a message. A typing sign is none, and Telegram doesn't count it as one. */
const MESSAGES = /^(?:send(?!ChatAction)|edit)/;

export interface ThrottleOptions {
  readonly limits: FloodLimits;
  /** Ends every wait. */
  readonly signal: AbortSignal;
  /** Where other replicas send as well. */
  readonly shared: SharedWindows | undefined;
}

/** Holds messages back before Telegram has to refuse them: a 429 costs more than the wait. */
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
      // The chat's turn first: a place among all is taken when it can be used at once.
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
    // Looked at again when there are twice as many, so that a look costs little a chat.
    this.#forgetAt = Math.max(CHATS_KEPT, 2 * this.#chats.size);
  }
}
