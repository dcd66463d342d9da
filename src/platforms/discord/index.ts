import type { Platform } from '#runtime/platform';
import { linkedRolesUrl, readSettings } from './settings.ts';

/** Where Discord delivers interactions, below PUBLIC_URL. */
const INTERACTIONS_PATH = '/discord/interactions';

export const discord: Platform = {
  id: 'discord',
  label: 'Discord',
  grants: 'role',
  reportsTo: 'channel',
  avatarOrigin: 'https://cdn.discordapp.com',
  // The signature covers the raw bytes.
  delivery: { path: INTERACTIONS_PATH, body: 'bytes' },
  loadPreview: async () => (await import('./preview.ts')).preview,
  configure(reader) {
    const settings = readSettings(reader);
    const { bot, clientSecret } = settings;
    return {
      settings,
      secrets: [bot?.token, clientSecret],
      start: bot && (async (host) => (await import('./start.ts')).startBot(bot, host)),
      async check() {
        if (bot === undefined && clientSecret === undefined) return [];
        return await (await import('./check.ts')).check(settings, INTERACTIONS_PATH);
      },
      roleConnections: roleConnectionsOf(settings),
    };
  },
};

/** Linked Roles. */
function roleConnectionsOf(settings: ReturnType<typeof readSettings>) {
  const { bot, clientSecret } = settings;
  const publicUrl = linkedRolesUrl(settings);
  if (bot === undefined || clientSecret === undefined || publicUrl === undefined) return undefined;
  const { token, apiUrl } = bot;
  return {
    publicUrl,
    async load() {
      const { openLinkedRoles } = await import('./linked-roles/index.ts');
      return openLinkedRoles({ token, apiUrl, clientSecret });
    },
  };
}
