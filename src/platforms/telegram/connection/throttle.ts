import type { Transformer } from 'grammy';
import { sleep } from '#platforms/telegram/connection/sleep';
import type { FloodLimits } from '#platforms/telegram/limits';

/** Chats that are remembered before it is looked which of them can't matter any more. */
const CHATS_KEPT = 1_000;
const CHAT_WINDOW_MS = 3_000;
const GROUP_WINDOW_MS = 60_000;

/** So many in any stretch of so long. Times are milliseconds that never run backwards. */
export class FloodWindow {
  readonly #most: number;
  readonly #length: number;
  #times: number[] = [];

  constructor(most: number, length: number) {
    this.#most = most;
    this.#length = length;
  }

  /** Takes the next place. @returns how long to wait for it */
  take(now: number): number {
    if (this.#most === Number.POSITIVE_INFINITY) return 0;
    const before = this.#times.length < this.#most ? undefined : this.#times.at(-this.#most);
    const at = before === undefined ? now : Math.max(now, before + this.#length);
    this.#times = [...this.#times, at].slice(-this.#most);
    return at - now;
  }

  /** Whether nothing that was taken can hold anything up any more. */
  isIdle(now: number): boolean {
    return (this.#times.at(-1) ?? 0) + this.#length <= now;
  }
}

/** Longer than Telegram's second: what is sent evenly may arrive bunched. */
const ALL_WINDOW_MS = 1_300;

/** Holds messages back before Telegram has to refuse them: a 429 costs more than the wait. */
export class Throttle {
  readonly #limits: FloodLimits;
  readonly #signal: AbortSignal;
  readonly #all: FloodWindow;
  readonly #chats = new Map<string, FloodWindow[]>();
  #forgetAt = CHATS_KEPT;

  constructor(limits: FloodLimits, signal: AbortSignal) {
    this.#limits = limits;
    this.#signal = signal;
    this.#all = new FloodWindow(limits.all, ALL_WINDOW_MS);
  }

  readonly transformer: Transformer = async (prev, method, payload, signal) => {
    if (/^(?:send|edit)/.test(method)) {
      const chat = (payload as { readonly chat_id?: number | string }).chat_id;
      // The chat's turn first: a place among all is taken when it can be used at once.
      if (chat !== undefined) for (const each of this.#windowsOf(chat)) await this.#wait(each);
      await this.#wait(this.#all);
    }
    return await prev(method, payload, signal);
  };

  async #wait(window: FloodWindow): Promise<void> {
    const delay = window.take(performance.now());
    if (delay > 0) await sleep(delay, this.#signal);
  }

  #windowsOf(chat: number | string): readonly FloodWindow[] {
    const key = String(chat);
    const known = this.#chats.get(key);
    if (known !== undefined) return known;
    if (this.#chats.size >= this.#forgetAt) this.#forget();
    const windows = [new FloodWindow(this.#limits.chat, CHAT_WINDOW_MS)];
    // Groups and channels have negative ids.
    if (key.startsWith('-')) windows.push(new FloodWindow(this.#limits.group, GROUP_WINDOW_MS));
    this.#chats.set(key, windows);
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
