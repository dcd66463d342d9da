import {
  type RESTPatchAPIGuildRoleJSONBody,
  type RESTPostAPIGuildRoleResult,
  RequestMethod,
  Routes,
} from 'discord.js';
import { RetryableError } from '#base';
import { COLOURS } from '#command';
import type { PlatformRefusal, RoleCreation, RoleOutcome, UnknownRefusal } from '#gating';
import { isSnowflake } from '#platforms/discord/snowflake';
import type { GateApi } from './api.ts';
import type { Guilds } from './guilds.ts';
import { type BotOwner, botStandingOf, isAboveNewRoles } from './inspect.ts';
import { auditReason, roleRefusalOf } from './refusals.ts';

/** Makes, renames and deletes roles of servers. Discord puts new ones below all others. */
export function createRoleMaking(api: GateApi, guilds: Guilds, owner: BotOwner): RoleCreation {
  /** @throws RetryableError */
  async function change<T>(
    work: () => Promise<T>,
  ): Promise<{ readonly answer: T } | { readonly refused: PlatformRefusal | UnknownRefusal }> {
    try {
      return { answer: await work() };
    } catch (error) {
      const refused = roleRefusalOf(error);
      if (refused === undefined) throw error;
      return { refused };
    }
  }

  async function changed(work: () => Promise<unknown>): Promise<RoleOutcome> {
    const result = await change(work);
    return 'refused' in result ? result.refused : 'done';
  }

  return {
    async listRoles(community) {
      if (!isSnowflake(community)) return { roles: [], blockers: ['no-community'] };
      const [guild, self] = await Promise.all([guilds.fresh(community), guilds.self(community, 0)]);
      if (guild === undefined || self === undefined)
        return { roles: [], blockers: ['no-community'] };
      const { lacks, cautions } = await botStandingOf(guild, self.roles, api.botId, owner, true);
      return {
        roles: [...guild.roles.values()].map(({ id, name }) => ({ id, name })),
        blockers: [
          ...lacks,
          ...(isAboveNewRoles(guild, self.roles, api.botId) ? [] : ['bot-too-low' as const]),
        ],
        cautions,
      };
    },
    async makeRole(community, { name, tier }, reason) {
      // Discord's specification takes a number here.
      const body = {
        ...{ name, permissions: 0, color: COLOURS[tier] },
        ...{ hoist: false, mentionable: false },
      };
      const result = await change(async () => {
        const fullRoute = Routes.guildRoles(community);
        const about = { body, reason: auditReason(reason) };
        return await api.request({ method: RequestMethod.Post, fullRoute, ...about });
      });
      if ('refused' in result) return result;
      const { id } = result.answer as Partial<RESTPostAPIGuildRoleResult>;
      // A proxy between Discord and us may answer anything; by the role's name it's found again.
      if (id === undefined || !isSnowflake(id)) {
        throw new RetryableError('Discord sent an unexpected response.');
      }
      return { id };
    },
    renameRole: (community, role, name, reason) =>
      changed(async () => {
        const body: RESTPatchAPIGuildRoleJSONBody = { name };
        const fullRoute = Routes.guildRole(community, role);
        const about = { body, reason: auditReason(reason) };
        return await api.request({ method: RequestMethod.Patch, fullRoute, ...about });
      }),
    deleteRole: (community, role, reason) =>
      changed(async () => {
        const fullRoute = Routes.guildRole(community, role);
        const about = { reason: auditReason(reason) };
        return await api.request({ method: RequestMethod.Delete, fullRoute, ...about });
      }),
    // https://discord.com/developers/docs/resources/guild#get-guild-role-member-counts
    async countHolders(community) {
      const fullRoute = `${Routes.guildRoles(community)}/member-counts` as const;
      const result = await change(() => api.request({ method: RequestMethod.Get, fullRoute }));
      if ('refused' in result || typeof result.answer !== 'object') return undefined;
      const counts = Object.entries(result.answer ?? {});
      // A proxy between Discord and us may answer anything.
      if (!counts.every(([id, count]) => isSnowflake(id) && Number.isInteger(count))) {
        return undefined;
      }
      return new Map(counts as [string, number][]);
    },
  };
}
