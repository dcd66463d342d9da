import {
  type APIAuditLogChange,
  type APIAuditLogEntry,
  type APIRole,
  AuditLogEvent,
  PermissionFlagsBits,
  type RESTGetAPIAuditLogResult,
  RequestMethod,
  Routes,
} from 'discord.js';
import type { HandChange, HandEntry, HandLog } from '#gating';
import { createdAt, isSnowflake } from '#platforms/discord/limits';
import { isRefusal } from '#platforms/discord/rest/bot-rest';
import type { GateApi } from './api.ts';
import { type Guilds, permissionsIn } from './guilds.ts';

/** https://discord.com/developers/docs/resources/audit-log#get-guild-audit-log */
const PAGE = 100;
/** Milliseconds for which what the bot may do is cached: each refusal counts against its address. */
const RIGHTS_MS = 60_000;
/** Before all entries. */
const BEGINNING = '0';

/** The audit logs of servers, about roles that people gave and took. */
export function createHandLog(
  api: GateApi,
  guilds: Guilds,
  hasEvents: (guild: string) => boolean,
): HandLog {
  /** @returns undefined if the bot isn't there */
  async function maySee(community: string): Promise<boolean | undefined> {
    let guild = await guilds.recent(community);
    let self = guild && (await guilds.self(community, RIGHTS_MS));
    // One of them is older than the other: invited anew, the bot has another role.
    if (self?.roles.some((role) => guild?.roles.has(role) !== true) === true) {
      guild = await guilds.fresh(community);
      self = await guilds.self(community, 0);
    }
    if (guild === undefined || self === undefined) return undefined;
    const rights = permissionsIn(guild, api.botId, self.roles);
    return (rights & PermissionFlagsBits.ViewAuditLog) !== 0n;
  }

  /** Oldest first, with `after` as Discord sends them, too. */
  async function entriesOf(community: string, after: string | undefined) {
    const query = new URLSearchParams({
      action_type: String(AuditLogEvent.MemberRoleUpdate),
      ...(after === undefined ? { limit: '1' } : { limit: String(PAGE), after }),
    });
    const fullRoute = Routes.guildAuditLog(community);
    const answer = await api.request({ method: RequestMethod.Get, fullRoute, query });
    const { audit_log_entries: entries } = answer as RESTGetAPIAuditLogResult;
    return entries.filter(({ id }) => isSnowflake(id)).sort((a, b) => older(a.id, b.id));
  }

  return {
    isReported: (community) => isSnowflake(community) && hasEvents(community),
    async read(community, after) {
      const unknown = { entries: [], upTo: after };
      const isShown = isSnowflake(community) ? await maySee(community) : undefined;
      if (isShown !== true) return isShown === false ? undefined : unknown;
      try {
        const entries = await entriesOf(community, after);
        const upTo = entries.at(-1)?.id ?? after ?? BEGINNING;
        if (after === undefined) return { entries: [], upTo };
        const told = entries.map((it) => handEntryOf(it, api.botId));
        return { entries: told.filter(({ changes }) => changes.length > 0), upTo };
      } catch (error) {
        if (!isRefusal(error)) throw error;
        return error.status === 403 ? undefined : unknown;
      }
    },
  };
}

const SHOWS_LOG = PermissionFlagsBits.ViewAuditLog | PermissionFlagsBits.Administrator;

/** Whether whoever has a role may see the server's audit log. */
export function showsAuditLog({ permissions }: Pick<APIRole, 'permissions'>): boolean {
  return (BigInt(permissions) & SHOWS_LOG) !== 0n;
}

function older(one: string, other: string): number {
  return Number(BigInt(one) > BigInt(other)) || -1;
}

/** An entry of a server's audit log, with what `handChangesIn` finds in it. */
export function handEntryOf(entry: APIAuditLogEntry, botId: string | undefined): HandEntry {
  const at = isSnowflake(entry.id) ? Math.floor(createdAt(entry.id) / 1000) : undefined;
  return { id: entry.id, at, changes: handChangesIn(entry, botId) };
}

/**
 * What an entry of a server's audit log says about roles of a member that someone else than the bot has changed.
 * Kicks and bans take no role: members who may return start over.
 * https://discord.com/developers/docs/resources/audit-log#audit-log-entry-object-audit-log-events
 */
function handChangesIn(
  { action_type, target_id, user_id, changes }: APIAuditLogEntry,
  botId: string | undefined,
): readonly HandChange[] {
  if (action_type !== AuditLogEvent.MemberRoleUpdate || target_id === null) return [];
  // Until the bot knows itself, its own changes would look like someone else's.
  if (botId === undefined || user_id === botId || target_id === botId) return [];
  return (changes ?? []).flatMap((change) => {
    const step = stepOf(change);
    if (step === undefined || !Array.isArray(change.new_value)) return [];
    const by = user_id ?? undefined;
    const roles = change.new_value as readonly { readonly id: string }[];
    return roles.map(({ id }) => ({ step, account: target_id, grant: id, by }));
  });
}

function stepOf({ key }: APIAuditLogChange): HandChange['step'] | undefined {
  if (key === '$add') return 'given';
  return key === '$remove' ? 'removed' : undefined;
}
