import { type RESTGetAPICurrentUserResult, RequestMethod, Routes } from 'discord.js';
import { Recent } from '#base';
import { isRefusal } from '#platforms/discord/rest-errors';
import type { GateApi } from './api.ts';

/** Milliseconds for which one answer serves several roles. */
const RECENT_MS = 5_000;
const ONLY = '';

/** The account that owns the bot's application. Servers may demand two-factor authentication of it. */
export class BotOwner {
  readonly #api: GateApi;
  readonly #kept: Recent<boolean | undefined>;

  constructor(api: GateApi, clock: () => number) {
    this.#api = api;
    this.#kept = new Recent(RECENT_MS, 1, clock);
  }

  /**
   * Whether it has two-factor authentication, which Discord says of the bot itself.
   * https://discord.com/developers/docs/resources/user#user-object
   * @returns undefined if Discord doesn't say
   */
  async hasTwoFactor(isFresh: boolean): Promise<boolean | undefined> {
    const kept = isFresh ? undefined : this.#kept.get(ONLY);
    if (kept !== undefined) return kept;
    const asked = await this.#ask();
    this.#kept.set(ONLY, asked);
    return asked;
  }

  async #ask(): Promise<boolean | undefined> {
    try {
      const answer = await this.#api.request({
        method: RequestMethod.Get,
        fullRoute: Routes.user(),
      });
      const { mfa_enabled: has } = answer as Partial<RESTGetAPICurrentUserResult>;
      return typeof has === 'boolean' ? has : undefined;
    } catch (error) {
      if (isRefusal(error)) return undefined;
      throw error;
    }
  }
}
