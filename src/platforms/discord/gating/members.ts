import {
  type APIGuildMember,
  PermissionFlagsBits,
  type RESTGetAPIGuildMembersResult,
  RequestMethod,
  Routes,
} from 'discord.js';
import { RetryableError } from '#base';
import type { Member } from '#gating';
import { isRefusal } from '#platforms/discord/rest-errors';
import { isSnowflake } from '#platforms/discord/snowflake';
import type { GateApi } from './api.ts';
import { askMember, type Guild, type Guilds, permissionsIn } from './guilds.ts';

/** https://discord.com/developers/docs/resources/guild#list-guild-members */
const PAGE = 1_000;
/**
 * Members who may manage the server, from whom nothing is removed. The owner has all permissions.
 */
const IN_CHARGE = PermissionFlagsBits.Administrator | PermissionFlagsBits.ManageGuild;

/** Members of servers, and which of them manage one. */
export class Members {
  readonly #api: GateApi;
  readonly #guilds: Guilds;

  constructor(api: GateApi, guilds: Guilds) {
    this.#api = api;
    this.#guilds = guilds;
  }

  /**
   * @param isFresh whether to fetch the permissions of the server's roles as well
   * @returns undefined if they aren't a member, or the bot isn't
   */
  async one(community: string, account: string, isFresh = false): Promise<Member | undefined> {
    if (!isSnowflake(community) || !isSnowflake(account)) return undefined;
    const [guild, found] = await Promise.all([
      isFresh ? this.#guilds.fresh(community) : this.#guilds.recent(community),
      askMember(this.#api, community, account),
    ]);
    return guild === undefined || found === undefined ? undefined : this.#seen(guild, found);
  }

  /**
   * All members by id, except bots, which have no wallets and need their roles. Ends early when the
   * signal aborts.
   * @throws RetryableError if Discord doesn't list them, or not all of them
   */
  async *all(community: string, signal: AbortSignal): AsyncGenerator<readonly Member[]> {
    for (let after = 0n; !signal.aborted; ) {
      const page = await this.#page(community, after);
      const guild = await this.#guilds.recent(community);
      if (guild === undefined) throw unlisted();
      const people = page.filter(({ user }) => user.bot !== true);
      yield people.map((each) => this.#seen(guild, each));
      if (page.length < PAGE) return;
      const last = page.reduce((most, { user }) => maximum(most, BigInt(user.id)), after);
      if (last === after) throw unlisted();
      after = last;
    }
  }

  async #page(community: string, after: bigint): Promise<RESTGetAPIGuildMembersResult> {
    try {
      const answer = await this.#api.request({
        method: RequestMethod.Get,
        fullRoute: Routes.guildMembers(community),
        query: new URLSearchParams({ limit: String(PAGE), after: String(after) }),
      });
      return answer as RESTGetAPIGuildMembersResult;
    } catch (error) {
      // The intent was disabled since we signed in, or the bot was removed.
      if (isRefusal(error) && error.status !== 400) throw unlisted(error.code);
      throw error;
    }
  }

  #seen(guild: Guild, { user, nick, roles, joined_at, pending }: APIGuildMember): Member {
    const rights = permissionsIn(guild, user.id, roles);
    const isAdmin = (rights & IN_CHARGE) !== 0n;
    const name = nick ?? user.global_name ?? user.username;
    const joinedAt = secondsOf(joined_at);
    return {
      id: user.id,
      name,
      grants: roles,
      isAdmin,
      joinedAt,
      ...(pending === true && { isPending: true }),
    };
  }
}

/** Guests have no join time. */
function secondsOf(time: string | null): number | undefined {
  const milliseconds = time === null ? Number.NaN : Date.parse(time);
  return Number.isNaN(milliseconds) ? undefined : Math.floor(milliseconds / 1000);
}

/** @param code Discord's, which tells the operator why */
function unlisted(code?: number | string): RetryableError {
  const why = code === undefined ? '' : ` (code ${code})`;
  return new RetryableError(`Discord doesn't list the members of this server${why}.`);
}

function maximum(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
