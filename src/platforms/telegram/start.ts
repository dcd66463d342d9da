import type { HttpDelivery, PlatformHost, RunningPlatform } from '#platforms';
import { startTelegram } from './adapter.ts';
import type { TelegramSettings } from './settings.ts';

export function startBot(settings: TelegramSettings, host: PlatformHost): RunningPlatform {
  const { token, apiUrl, webhook } = settings;
  const { answerer, gate, log, replica, work, inbox, isCutOff, budget, usernames, onCommand } =
    host;
  if (!settings.hasPublicUrl) {
    log.info(
      {},
      "Telegram: without PUBLIC_URL each rank card's picture is a message of its own, of the 20 a minute that a bot may send to a group; with it, twice as many members get an answer of their own",
    );
  }
  const bot = startTelegram({
    token,
    ...(apiUrl !== undefined && { apiUrl }),
    mode: webhook === undefined ? 'polling' : 'webhook',
    ...(webhook !== undefined && { webhook }),
    answerer,
    gate,
    log,
    onCommand,
    replica: replica.id,
    work,
    inbox,
    usernames,
    isCutOff,
    ...(budget !== undefined && { budget }),
    replicas: replica.live,
  });
  const handle = bot.handleWebhook;
  return {
    keeper: bot.keeper,
    status: () => bot.status(),
    invitation: () => bot.invitation(),
    deliver:
      handle &&
      (async ({ body, headers }: HttpDelivery) => {
        const secret = headers['x-telegram-bot-api-secret-token'];
        return { status: await handle(body, typeof secret === 'string' ? secret : undefined) };
      }),
    stop: () => bot.stop(),
  };
}
