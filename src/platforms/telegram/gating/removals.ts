import type { Api } from 'grammy';
import { RetryableError } from '#core/errors';
import type { Logger } from '#core/logger';
import { UnderWay } from '#platforms/telegram/connection/under-way';
import { isRefused, refusalOf, retryable } from '#platforms/telegram/gating/refusals';
import { Latest } from '#runtime/latest';

/**
 * Seconds. Should nobody get to end the ban, it ends by itself: long enough that a clock that is some
 * minutes wrong makes no ban for ever of it, which is what Telegram takes less than 30 seconds for
 * (https://core.telegram.org/bots/api#banchatmember).
 */
const BAN_SECONDS = 3_600;
/** Milliseconds for each of the two calls, repetitions and waits for the flood limits included. */
const CALL_MS = 60_000;
const KEPT = 1_000;

/**
 * Removes people from groups without banning them. A bot can only ban and end the ban. Between the two
 * nothing may stop it, a shutdown neither.
 */
export class Removals {
  readonly #api: Api;
  readonly #log: Logger;
  /** Milliseconds since 1970. */
  readonly #clock: () => number;
  readonly #underWay = new UnderWay();
  /** Bans that were made, or may have been, and of which the end isn't known to have gone through. */
  readonly #halfway = new Latest<string, true>(KEPT);
  #count = 0;
  #isClosed = false;

  constructor(api: Api, log: Logger, clock: () => number) {
    this.#api = api;
    this.#log = log;
    this.#clock = clock;
  }

  /** Whether a removal of theirs was begun and has still to be ended. */
  isHalfway(chat: number, user: number): boolean {
    return this.#halfway.get(`${chat} ${user}`) === true;
  }

  /**
   * Whether somebody of whom a removal was begun, be it by a process that was killed, is to be let go:
   * bans of moderators are for ever or longer, as a rule.
   * @param until when their ban ends, in seconds since 1970; 0: never, or there is none
   */
  isOurs(chat: number, user: number, until: number): boolean {
    if (this.isHalfway(chat, user)) return true;
    const left = until - this.#clock() / 1000;
    return until !== 0 && left <= BAN_SECONDS;
  }

  /**
   * @throws RetryableError when the ban could not be ended: it is still to be done, by `finish`
   * @throws GrammyError and HttpError of the ban
   */
  async remove(chat: number, user: number): Promise<void> {
    await this.#unstopped(async () => {
      const key = `${chat} ${user}`;
      const until = Math.floor(this.#clock() / 1000) + BAN_SECONDS;
      const ban = { until_date: until, revoke_messages: false };
      this.#halfway.set(key, true);
      try {
        await this.#api.banChatMember(chat, user, ban, signal());
      } catch (error) {
        // After any other fault nobody knows whether they are banned.
        if (isRefused(error)) this.#halfway.delete(key);
        throw error;
      }
      await this.#endBan(chat, user);
    });
  }

  /** @throws RetryableError */
  async finish(chat: number, user: number): Promise<void> {
    await this.#unstopped(() => this.#endBan(chat, user));
  }

  /** No new ones from now on. Waits for those under way, but not longer than that. */
  async close(milliseconds: number): Promise<void> {
    this.#isClosed = true;
    await this.#underWay.settle(milliseconds);
  }

  async #endBan(chat: number, user: number): Promise<void> {
    try {
      await this.#api.unbanChatMember(chat, user, { only_if_banned: true }, signal());
    } catch (error) {
      if (refusalOf(error) !== 'no-bans') throw retryable(error, this.#log);
    }
    this.#halfway.delete(`${chat} ${user}`);
  }

  async #unstopped(work: () => Promise<void>): Promise<void> {
    if (this.#isClosed) throw new RetryableError('The bot is being stopped.');
    this.#count += 1;
    await this.#underWay.run(this.#count, work);
  }
}

/** One of its own, for without one a call ends when the bot is stopped. */
function signal(): Parameters<Api['banChatMember']>[3] {
  return AbortSignal.timeout(CALL_MS) as Parameters<Api['banChatMember']>[3];
}
