import { RequestMethod, Routes } from 'discord.js';
import { type Logger, Recent, sanitizeText } from '#base';
import { type ChangeOutcome, isRuleRefusal, unknownCodeIn } from '#gating';
import { errorFields } from '#platforms/discord/error-fields';
import { isRefusal } from '#platforms/discord/rest-errors';
import { isSnowflake } from '#platforms/discord/snowflake';
import type { GateApi } from './api.ts';
import type { Guilds } from './guilds.ts';
import type { OperatorNotices } from './operator-notices.ts';
import { unfitnessOf } from './powers.ts';
import { refusalIn } from './refusals.ts';

/** Milliseconds during which we don't retry a role that Discord refused. */
const REFUSED_MS = 60_000;
const MOST = 10_000;
/** Milliseconds for which what a role permits is cached. */
const LOOKED_AT_MS = 5_000;

/** Length of the header as sent. https://discord.com/developers/docs/resources/audit-log */
const REASON = 512;

/** Grants and removes roles. */
export class RoleChanges {
  readonly #api: GateApi;
  readonly #guilds: Guilds;
  /** Too many rejections block the IP address: a refusal for one member counts for all. */
  readonly #refused: Recent<ChangeOutcome>;
  readonly #log: Logger;
  readonly #notices: OperatorNotices;

  constructor(
    api: GateApi,
    guilds: Guilds,
    notices: OperatorNotices,
    log: Logger,
    clock: () => number,
  ) {
    this.#api = api;
    this.#notices = notices;
    this.#log = log;
    this.#guilds = guilds;
    this.#refused = new Recent(REFUSED_MS, MOST, clock);
  }

  async give(
    community: string,
    account: string,
    role: string,
    reason: string,
  ): Promise<ChangeOutcome> {
    if (await this.#isUnfit(community, role)) return 'not-allowed';
    return await this.#change(RequestMethod.Put, community, account, role, reason);
  }

  async take(
    community: string,
    account: string,
    role: string,
    reason: string,
  ): Promise<ChangeOutcome> {
    return await this.#change(RequestMethod.Delete, community, account, role, reason);
  }

  /** The role was inspected, and nothing prevents it any more. */
  forgive(community: string, role: string): void {
    this.#refused.delete(`${community} ${role}`);
  }

  /** Roles change: one that was harmless when its rule was created may have gained permissions since. */
  async #isUnfit(community: string, id: string): Promise<boolean> {
    if (!isSnowflake(community)) return false;
    const role = (await this.#guilds.recent(community, LOOKED_AT_MS))?.roles.get(id);
    return role !== undefined && unfitnessOf(role).length > 0;
  }

  /** What only the operator can mend, or look into, is in their log. */
  #report(error: unknown, outcome: ChangeOutcome, community: string, role: string): void {
    if (outcome === 'needs-2fa') this.#notices.say(outcome, community, role, errorFields(error));
    else if (unknownCodeIn(outcome) !== undefined) {
      this.#log.warn(errorFields(error), 'Discord: rejected a role change for an unknown reason');
    }
  }

  async #change(
    method: RequestMethod,
    community: string,
    account: string,
    role: string,
    reason: string,
  ): Promise<ChangeOutcome> {
    if (!isSnowflake(community) || !isSnowflake(role)) return 'no-role';
    if (!isSnowflake(account)) return 'left';
    const key = `${community} ${role}`;
    const refused = this.#refused.get(key);
    if (refused !== undefined) return refused;
    try {
      const fullRoute = Routes.guildMemberRole(community, account, role);
      await this.#api.request({ method, fullRoute, reason: shortened(reason) });
      return 'done';
    } catch (error) {
      const outcome = refusalIn(error);
      if (outcome === undefined) throw error;
      if (isRuleRefusal(outcome) && isRefusal(error) && error.status === 403) {
        this.#refused.set(key, outcome);
      }
      this.#report(error, outcome, community, role);
      return outcome;
    }
  }
}

/** Encoded for the header, where most characters take three. */
function shortened(reason: string): string {
  for (let most = REASON; most > 0; most -= 10) {
    const text = sanitizeText(reason, most);
    if (encodeURIComponent(text).length <= REASON) return text;
  }
  return '';
}
