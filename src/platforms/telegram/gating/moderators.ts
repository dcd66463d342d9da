import type { Api } from 'grammy';
import { BoundedMap, type Logger } from '#base';
import { type CallSignal, callSignal } from '#platforms/telegram/connection/call-signal';
import { isIn, mayInvite, numberOf } from './members.ts';
import { newIdIn, type OnMoved, refusalOf, retryable } from './refusals.ts';

/** How long an answer is cached; a change reported by Telegram ends that at once. */
const BELIEVED_MS = 30_000;
const KEPT = 1_000;

export interface ModeratorsOptions {
  readonly api: Api;
  readonly log: Logger;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
  /** Called with a group whose id has changed. */
  readonly onMoved: OnMoved;
  /** Milliseconds after which we give up on Telegram, as someone is waiting for the answer. */
  readonly patienceMs: number;
}

/** Who may approve join requests: a group's owner, and administrators who may invite. */
export class Moderators {
  readonly #options: ModeratorsOptions;
  readonly #known = new BoundedMap<string, { readonly isOne: boolean; readonly at: number }>(KEPT);
  /** Counts changes that Telegram reported: an answer from before one isn't cached. */
  #changes = 0;

  constructor(options: ModeratorsOptions) {
    this.#options = options;
  }

  /** @throws RetryableError if Telegram is unavailable */
  async includes(community: string, account: string): Promise<boolean> {
    const [chat, user] = [numberOf(community), numberOf(account)];
    if (chat === undefined || user === undefined) return false;
    const key = `${chat} ${user}`;
    const now = this.#options.clock();
    const known = this.#known.get(key);
    if (known !== undefined && now - known.at < BELIEVED_MS) return known.isOne;
    const changes = this.#changes;
    const isOne = await this.#ask(chat, user);
    if (changes === this.#changes) this.#known.set(key, { isOne, at: now });
    return isOne;
  }

  /** Something about them has changed. */
  forget(community: string, account: number): void {
    this.#changes += 1;
    this.#known.delete(`${community} ${account}`);
  }

  async #ask(chat: number, user: number): Promise<boolean> {
    const { api, patienceMs, onMoved } = this.#options;
    const signal = callSignal(AbortSignal.timeout(patienceMs));
    try {
      return mayInvite(await api.getChatMember(chat, user, signal));
    } catch (error) {
      const moved = newIdIn(error);
      if (moved !== undefined) onMoved(String(chat), moved);
      // Nobody moderates a group by its former id.
      if (moved !== undefined) return false;
      switch (refusalOf(error)) {
        case 'gone':
          return false;
        // A bot that isn't an administrator yet only learns who the administrators are.
        case 'nobody':
        case 'stranger':
        case 'no-right':
          return await this.#isListed(chat, user, signal);
        default:
          throw this.#retryable(error);
      }
    }
  }

  async #isListed(chat: number, user: number, signal: CallSignal): Promise<boolean> {
    const { api } = this.#options;
    try {
      const all = await api.getChatAdministrators(chat, {}, signal);
      return all.some((each) => each.user.id === user && isIn(each) && mayInvite(each));
    } catch (error) {
      if (refusalOf(error) !== undefined) return false;
      throw this.#retryable(error);
    }
  }

  #retryable(error: unknown): Error {
    return retryable(error, this.#options.log);
  }
}
