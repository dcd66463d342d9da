import { type APIAuditLogChange, type APIAuditLogEntry, AuditLogEvent } from 'discord.js';
import type { HandChange, HandEntry } from '#gating';
import { createdAt, isSnowflake } from './snowflake.ts';

/** An entry of a server's audit log, with what `handChangesIn` finds in it. */
export function handEntryOf(entry: APIAuditLogEntry, botId: string | undefined): HandEntry {
  const at = isSnowflake(entry.id) ? Math.floor(createdAt(entry.id) / 1000) : undefined;
  return { id: entry.id, at, changes: handChangesIn(entry, botId) };
}

/**
 * What an entry of a server's audit log says about roles of a member that someone else than the bot has changed.
 * Kicks and bans take no role: whoever may return starts over.
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
