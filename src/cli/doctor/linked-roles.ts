import { type Config, linkedRolesUrl } from '#app/config';
import { CALLBACK_PATH, LINKED_ROLES_PATH } from '#core/linked-roles/page-service';
import { type Finding, ok, warn } from './finding.ts';

/** Whether members can connect for Discord's Linked Roles, and what to enter at Discord for it. */
export function checkLinkedRoles(config: Config): Finding[] {
  if (config.discordClientSecret === undefined) return [];
  const subject = 'linked roles';
  if (config.discord === undefined) {
    return [warn(subject, 'off: DISCORD_CLIENT_SECRET has no use without DISCORD_TOKEN. Set it.')];
  }
  const url = linkedRolesUrl(config);
  const text = `on. At Discord, the Linked Roles Verification URL must be ${url}${LINKED_ROLES_PATH} and a redirect ${url}${CALLBACK_PATH}`;
  return [ok(subject, text)];
}
