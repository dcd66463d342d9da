import type { Message, User } from 'grammy/types';
import { BoundedMap } from '#base';
import { sleep } from '#base/waiting';
import type { Card } from '#command';
import type { FloodLimits } from '#platforms/telegram/limits';
import { replyTargetOf } from './reply-target.ts';

const CHAT_WINDOW_MS = 3_000;
const GROUP_WINDOW_MS = 60_000;
const KEPT = 1_000;

/** An answer that waits to be sent to a group. */
export interface Waiting {
  readonly message: Message & { readonly from: User };
  /** What several answers in one message say of it. */
  readonly card: Card;
  /** A button that it needs. */
  readonly link?: { readonly label: string; readonly url: string } | undefined;
  /** Sends it in a message of its own. @param isPressed whether an uploaded picture would cost too much */
  readonly alone: (isPressed: boolean) => Promise<void>;
}

interface Place extends Waiting {
  readonly sent: () => void;
  readonly failed: (error: unknown) => void;
}

export interface CrowdOptions {
  readonly limits: FloodLimits;
  /**
   * Sends several answers in one message, which replies to the last.
   * @param missed how many others asked, of whom too many wait for more than this
   */
  readonly together: (waiting: readonly Waiting[], missed: number) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Sends answers to groups, in which a bot may write little. While few people ask, each gets a message with
 * its picture; then the picture is left out; then one message answers everybody who waits, so that a crowd
 * is answered within a minute.
 */
export class Crowds {
  readonly #options: CrowdOptions;
  readonly #crowds = new BoundedMap<string, Crowd>(KEPT);

  constructor(options: CrowdOptions) {
    this.#options = options;
  }

  /** Sends an answer, alone or with others. @returns once it's sent */
  async answer(waiting: Waiting): Promise<void> {
    await this.#crowdOf(waiting.message).answer(waiting);
  }

  /** Somebody asked while too many waited already: the next message for several people says so. */
  miss(message: Message): void {
    this.#crowdOf(message).missed += 1;
  }

  /** A topic is read by itself; that its messages count for the whole group, the throttle sees to. */
  #crowdOf(message: Message): Crowd {
    const { chatId, threadId } = replyTargetOf(message);
    const key = `${chatId} ${threadId ?? ''}`;
    const crowd = this.#crowds.get(key) ?? new Crowd(this.#options);
    this.#crowds.set(key, crowd);
    return crowd;
  }
}

class Crowd {
  readonly #options: CrowdOptions;
  readonly #waiting: Place[] = [];
  /** Monotonic times of messages of the last minute. */
  #sentAt: number[] = [];
  #isSending = false;
  missed = 0;

  constructor(options: CrowdOptions) {
    this.#options = options;
  }

  async answer(waiting: Waiting): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ ...waiting, sent: resolve, failed: reject });
    if (!this.#isSending) void this.#sendAll();
    await promise;
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    while (this.#waiting.length > 0) {
      const pressure = this.#pressure();
      if (pressure !== 'high') {
        const first = this.#waiting.shift() as Place;
        const isPressed = pressure === 'some';
        const cost = isPressed || first.card.picture === undefined ? 1 : 2;
        await this.#send([first], () => first.alone(isPressed), cost);
        continue;
      }
      // Evenly, so that there's always a message left for whoever asks next.
      await sleep(this.#pause(), this.#options.signal).catch(() => undefined);
      const all = this.#waiting.splice(0);
      const [only, ...others] = all;
      if (only !== undefined && others.length === 0 && this.missed === 0) {
        await this.#send(all, () => only.alone(true), 1);
        continue;
      }
      const { missed } = this;
      this.missed = 0;
      await this.#send(all, () => this.#options.together(all, missed), 1);
    }
    this.#isSending = false;
  }

  async #send(places: readonly Place[], send: () => Promise<void>, cost: number): Promise<void> {
    this.#sentAt.push(...Array(cost).fill(performance.now()));
    try {
      await send();
      for (const each of places) each.sent();
    } catch (error) {
      for (const each of places) each.failed(error);
    }
  }

  /** What the answers that wait now would cost, compared with what the group's limits leave. */
  #pressure(): 'none' | 'some' | 'high' {
    const { chat, group } = this.#options.limits;
    const count = this.#waiting.length;
    const left = group - this.#sentWithin(GROUP_WINDOW_MS);
    const now = chat - this.#sentWithin(CHAT_WINDOW_MS);
    if (2 * count <= Math.min(now, left - group / 2)) return 'none';
    return count <= Math.min(now, left - group / 4) ? 'some' : 'high';
  }

  #pause(): number {
    const { chat, group } = this.#options.limits;
    const isScarce = this.#sentWithin(GROUP_WINDOW_MS) > group / 2;
    return isScarce ? GROUP_WINDOW_MS / group : CHAT_WINDOW_MS / chat;
  }

  #sentWithin(milliseconds: number): number {
    const since = performance.now() - GROUP_WINDOW_MS;
    this.#sentAt = this.#sentAt.filter((at) => at > since);
    return this.#sentAt.filter((at) => at > performance.now() - milliseconds).length;
  }
}
