/** Discord as a platform: its connection, answers and rendering. */

import type { Platform } from '#platforms';
import type { BotRest } from './rest/bot-rest.ts';
import { type DiscordBotSettings, linkedRolesUrl, readSettings } from './settings.ts';

/** Where Discord delivers interactions, below PUBLIC_URL. */
const INTERACTIONS_PATH = '/discord/interactions';

export const discord: Platform = {
  id: 'discord',
  label: 'Discord',
  grants: 'role',
  reportsTo: 'channel',
  pictures: 'option',
  codeEntry: 'form',
  avatarOrigin: 'https://cdn.discordapp.com',
  token: {
    variable: 'DISCORD_TOKEN',
    apiVariable: 'DISCORD_API_URL',
    where: 'discord.com/developers/applications: your application, Bot, Reset Token',
  },
  // The signature covers the raw bytes.
  delivery: { path: INTERACTIONS_PATH, body: 'bytes' },
  loadPreview: async () => (await import('./render/card.ts')).preview,
  configure(reader) {
    const settings = readSettings(reader);
    const { bot, clientSecret } = settings;
    const rest = bot && sharedRest(bot);
    return {
      settings,
      agreed: {
        DISCORD_TOKEN: bot?.token,
        DISCORD_MODE: bot && (bot.http === undefined ? 'gateway' : 'http'),
        DISCORD_PUBLIC_KEY: bot?.http?.publicKey,
        DISCORD_CLIENT_SECRET: clientSecret,
      },
      servers: bot === undefined ? [] : serversOf(bot),
      secrets: [bot?.token, clientSecret],
      start:
        rest &&
        (async (host) => (await import('./bot.ts')).startBot({ ...bot, rest: await rest() }, host)),
      async check() {
        if (bot === undefined && clientSecret === undefined) return [];
        return await (await import('./check.ts')).check(settings, INTERACTIONS_PATH);
      },
      roleConnections: roleConnectionsOf(settings, rest),
    };
  },
};

function serversOf({ apiUrl, http }: DiscordBotSettings): readonly string[] {
  if (apiUrl !== undefined) return [apiUrl];
  // The gateway's own name; `check` looks at the one that Discord gives.
  return ['https://discord.com', ...(http === undefined ? ['wss://gateway.discord.gg'] : [])];
}

/** Makes the client on first use, since discord.js takes long to load. */
function sharedRest(bot: DiscordBotSettings): () => Promise<BotRest> {
  let rest: Promise<BotRest> | undefined;
  return () => {
    rest ??= import('./rest/bot-rest.ts').then(({ BotRest }) => new BotRest(bot));
    return rest;
  };
}

/** Linked Roles. */
function roleConnectionsOf(
  settings: ReturnType<typeof readSettings>,
  rest: (() => Promise<BotRest>) | undefined,
) {
  const { bot, clientSecret } = settings;
  const publicUrl = linkedRolesUrl(settings);
  if (bot === undefined || rest === undefined) return undefined;
  if (clientSecret === undefined || publicUrl === undefined) return undefined;
  const { apiUrl } = bot;
  return {
    publicUrl,
    async load() {
      const { openLinkedRoles } = await import('./linked-roles/open.ts');
      return openLinkedRoles({ rest: await rest(), apiUrl, clientSecret });
    },
  };
}
