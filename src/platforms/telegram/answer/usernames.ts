import type { Api } from 'grammy';
import type { User } from 'grammy/types';
import { BoundedMap, type Logger, messageOf, RetryableError } from '#base';
import type { UsernameStore } from '#gating';
import { numberOf } from '#platforms/telegram/gating/members';
import { refusalOf, retryable } from '#platforms/telegram/gating/refusals';

/** People whose notes in the store we remember. */
const KEPT = 10_000;
/** Seconds after which somebody who is still there is noted again. */
const AGAIN = 7 * 86_400;

export interface UsernamesOptions {
  readonly store: UsernameStore | undefined;
  readonly api: Pick<Api, 'getChatMember'>;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Milliseconds after which we give up on Telegram, as someone is waiting for the answer. */
  readonly patienceMs: number;
}

/** Usernames of people met in groups: Telegram doesn't tell bots whom an `@name` means. */
export class Usernames {
  readonly #options: UsernamesOptions;
  readonly #noted = new BoundedMap<string, { readonly username: string; readonly at: number }>(
    KEPT,
  );

  constructor(options: UsernamesOptions) {
    this.#options = options;
  }

  /** Notes somebody who was seen in a group. Never throws, and nobody waits for it. */
  meet(community: string, { id, is_bot: isBot, username }: User): void {
    if (isBot) return;
    const now = Math.floor(this.#options.clock() / 1000);
    const key = `${community} ${id}`;
    const noted = this.#noted.get(key);
    if (noted?.username === (username ?? '') && now - noted.at < AGAIN) return;
    this.#noted.set(key, { username: username ?? '', at: now });
    void this.#note(community, String(id), username, now).catch((error: unknown) => {
      this.#noted.delete(key);
      this.#options.log.debug({ reason: messageOf(error) }, 'Telegram: could not note a username');
    });
  }

  async #note(
    community: string,
    account: string,
    username: string | undefined,
    now: number,
  ): Promise<void> {
    const { store } = this.#options;
    await store?.noteUsername({ platform: 'telegram', id: community }, account, username, now);
  }

  /**
   * Who has a username now. A name may have passed to somebody else since we met its owner, so
   * Telegram is asked for the present one.
   * @param name without `@`
   * @returns undefined if the bot hasn't met them in this group
   * @throws RetryableError
   */
  async accountOf(community: string, name: string): Promise<string | undefined> {
    const { store, api, log, patienceMs } = this.#options;
    const account = await store?.accountNamed({ platform: 'telegram', id: community }, name);
    const [chat, user] = [numberOf(community), numberOf(account ?? '')];
    if (account === undefined || chat === undefined || user === undefined) return undefined;
    const signal = AbortSignal.timeout(patienceMs) as Parameters<typeof api.getChatMember>[2];
    try {
      const { user: now } = await api.getChatMember(chat, user, signal);
      if (now.username?.toLowerCase() === name.toLowerCase()) return account;
      this.meet(community, now);
      return undefined;
    } catch (error) {
      // Unless the bot is an administrator, it may not be told; and whoever has left may be unknown.
      if (refusalOf(error) !== undefined) return account;
      const fault = retryable(error, log);
      throw fault instanceof RetryableError ? fault : new RetryableError(fault.message);
    }
  }
}
