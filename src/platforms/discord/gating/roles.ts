import {
  type RESTPatchAPIGuildRoleJSONBody,
  type RESTPostAPIGuildRoleResult,
  RequestMethod,
  Routes,
} from 'discord.js';
import { type Logger, PlatformFault, sanitizeText } from '#base';
import { COLOURS } from '#command';
import {
  isUnknownRefusal,
  type PlatformRefusal,
  type RoleCreation,
  type RoleOutcome,
  type RoleRefusal,
  type UnknownRefusal,
  unknownRefusal,
} from '#gating';
import { isSnowflake } from '#platforms/discord/limits';
import { errorFields } from '#platforms/discord/logging';
import { codeOfRefusal, isRefusal } from '#platforms/discord/rest/bot-rest';
import type { GateApi } from './api.ts';
import type { Guilds } from './guilds.ts';
import { type BotOwner, botStandingOf, isAboveNewRoles } from './inspect.ts';

/** Makes, renames and deletes roles of servers. Discord puts new ones below all others. */
export function createRoleMaking(
  api: GateApi,
  guilds: Guilds,
  owner: BotOwner,
  log: Logger,
): RoleCreation {
  /** @throws RetryableError */
  async function change<T>(
    work: () => Promise<T>,
  ): Promise<{ readonly answer: T } | { readonly refused: RoleRefusal }> {
    try {
      return { answer: await work() };
    } catch (error) {
      const refused = roleRefusalOf(error);
      if (refused === undefined) throw error;
      // What only the operator can look into is in their log.
      if (isUnknownRefusal(refused)) log.warn(errorFields(error), REJECTED);
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
        const request = { body, reason: auditReason(reason) };
        return await api.request({ method: RequestMethod.Post, fullRoute, ...request });
      });
      if ('refused' in result) return result;
      const { id } = result.answer as Partial<RESTPostAPIGuildRoleResult>;
      // A proxy between Discord and us may answer anything; by the role's name it's found again.
      if (id === undefined || !isSnowflake(id)) {
        throw new PlatformFault('Discord sent an unexpected response.');
      }
      return { id };
    },
    renameRole: (community, role, name, reason) =>
      changed(async () => {
        const body: RESTPatchAPIGuildRoleJSONBody = { name };
        const fullRoute = Routes.guildRole(community, role);
        const request = { body, reason: auditReason(reason) };
        return await api.request({ method: RequestMethod.Patch, fullRoute, ...request });
      }),
    deleteRole: (community, role, reason) =>
      changed(async () => {
        const fullRoute = Routes.guildRole(community, role);
        const request = { reason: auditReason(reason) };
        return await api.request({ method: RequestMethod.Delete, fullRoute, ...request });
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

/** Length of the header as sent. https://discord.com/developers/docs/resources/audit-log */
const REASON = 512;

/** A reason for the server's audit log, encoded for the header, where most characters take three. */
export function auditReason(reason: string): string {
  for (let most = REASON; most > 0; most -= 10) {
    const text = sanitizeText(reason, most);
    if (encodeURIComponent(text).length <= REASON) return text;
  }
  return '';
}

/**
 * Discord's codes for a change of a member's roles.
 * https://discord.com/developers/docs/topics/opcodes-and-status-codes#json-json-error-codes
 */
const BY_CODE: Readonly<Record<number, PlatformRefusal | 'left'>> = {
  10004: 'no-community',
  10007: 'left',
  10011: 'no-role',
  10013: 'left',
  // They were banned while we asked.
  40007: 'left',
  50001: 'no-community',
  50013: 'not-allowed',
  50028: 'invalid-role',
  60003: 'needs-2fa',
};

/** @returns undefined if it isn't a refusal by Discord, or is our bug */
export function refusalIn(error: unknown): PlatformRefusal | UnknownRefusal | 'left' | undefined {
  if (!isRefusal(error)) return undefined;
  return BY_CODE[error.code] ?? unknownRefusal(codeOfRefusal(error));
}

/** In the log. */
export const REJECTED = 'Discord: rejected a role change for an unknown reason';

/** Discord's code where a server has as many roles as it may. */
const TOO_MANY_ROLES = 30005;

/** The same of a change that's about no member. */
function roleRefusalOf(error: unknown): RoleRefusal | undefined {
  if (isRefusal(error) && error.code === TOO_MANY_ROLES) return 'too-many-roles';
  const refusal = refusalIn(error);
  return refusal === 'left' ? 'no-community' : refusal;
}
