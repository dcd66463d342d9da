/** Telegram as a platform: its connection, answers and rendering. */

import type { Platform } from '#platforms';
import { readSettings } from './settings.ts';

/** Where Telegram delivers updates, below PUBLIC_URL. */
const WEBHOOK_PATH = '/telegram/webhook';

export const telegram: Platform = {
  id: 'telegram',
  label: 'Telegram',
  grants: 'entry',
  reportsTo: 'member',
  pictures: 'reply',
  codeEntry: 'message',
  // The Bot API only serves avatars at URLs that contain the token.
  avatarOrigin: undefined,
  token: {
    variable: 'TELEGRAM_TOKEN',
    apiVariable: 'TELEGRAM_API_URL',
    where: 'send /newbot to @BotFather',
  },
  delivery: { path: WEBHOOK_PATH, body: 'json' },
  loadPreview: async () => (await import('./render/card.ts')).preview,
  configure(reader) {
    const settings = readSettings(reader, WEBHOOK_PATH);
    return {
      settings,
      agreed: {
        TELEGRAM_TOKEN: settings?.token,
        TELEGRAM_MODE: settings && (settings.webhook === undefined ? 'polling' : 'webhook'),
        TELEGRAM_WEBHOOK_SECRET: settings?.webhook?.secret,
      },
      servers: settings === undefined ? [] : [settings.apiUrl ?? 'https://api.telegram.org'],
      secrets: [settings?.token, settings?.webhook?.secret],
      start: settings && (async (host) => (await import('./bot.ts')).startBot(settings, host)),
      async check() {
        if (settings === undefined) return [];
        return await (await import('./connection/api-client.ts')).check(settings);
      },
      roleConnections: undefined,
    };
  },
};
