import type { Api } from 'grammy';
import type { ChatMember } from 'grammy/types';
import { BoundedMap, type Logger, RetryableError } from '#base';
import { type CallSignal, callSignal } from '#platforms/telegram/connection/call-signal';
import { InFlightUpdates } from '#platforms/telegram/connection/in-flight';
import { isRefused, refusalOf, retryable } from './refusals.ts';

/**
 * Seconds after which a ban expires if nobody lifts it: long enough that a clock that's off by
 * minutes doesn't make it permanent, as Telegram treats less than 30 seconds
 * (https://core.telegram.org/bots/api#banchatmember).
 */
const BAN_SECONDS = 3_600;
/** Milliseconds for each of the two calls, including retries and waits for flood limits. */
const CALL_MS = 60_000;
const KEPT = 1_000;

/**
 * Removes people from groups without banning them. A bot can only ban and then lift the ban;
 * nothing may stop it in between, not even a shutdown.
 */
export class Removals {
  readonly #api: Api;
  readonly #log: Logger;
  /** Milliseconds since 1970. */
  readonly #clock: () => number;
  readonly #underWay = new InFlightUpdates();
  /** Bans that were made, or may have been, and haven't been confirmed as lifted. */
  readonly #halfway = new BoundedMap<string, true>(KEPT);
  #count = 0;
  #isClosed = false;

  constructor(api: Api, log: Logger, clock: () => number) {
    this.#api = api;
    this.#log = log;
    this.#clock = clock;
  }

  /** Whether their removal was begun and its ban is still to be lifted. */
  isHalfway(chat: number, user: number): boolean {
    return this.#halfway.get(`${chat} ${user}`) === true;
  }

  /**
   * Whether someone whose removal was begun, perhaps by a killed process, is to be unbanned:
   * moderators' bans are usually permanent or longer.
   * @param until when their ban ends, in seconds since 1970; 0: never, or there is none
   */
  isOurs(chat: number, user: number, until: number): boolean {
    if (this.isHalfway(chat, user)) return true;
    const left = until - this.#clock() / 1000;
    return until !== 0 && left <= BAN_SECONDS;
  }

  /** Whether somebody else has banned them. @param found undefined if they aren't there */
  isBanByHand(chat: number, found: ChatMember | undefined): boolean {
    if (found?.status !== 'kicked') return false;
    return !this.isOurs(chat, found.user.id, found.until_date);
  }

  /**
   * @throws RetryableError if the ban couldn't be lifted, which `finish` still has to do
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
        // After any other fault we don't know whether they're banned.
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

  /** Starts no new ones. Waits for those in progress, up to a deadline. */
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

/** A signal of its own: without one, a call ends when the bot is stopped. */
function signal(): CallSignal {
  return callSignal(AbortSignal.timeout(CALL_MS));
}
