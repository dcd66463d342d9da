import type { HttpDelivery, PlatformHost, RunningPlatform } from '#platforms';
import { startDiscord } from './adapter.ts';
import type { BotRest } from './bot-rest.ts';
import type { DiscordBotSettings } from './settings.ts';

export function startBot(
  settings: DiscordBotSettings & { readonly rest: BotRest },
  host: PlatformHost,
): RunningPlatform {
  const { answerer, gate, log, replica, work, inbox, isCutOff } = host;
  const { onCommand, onAcknowledged } = host;
  const bot = startDiscord({
    ...settings,
    answerer,
    gate,
    log,
    replica: { id: replica.id, work, inbox, isCutOff },
    hooks: { onCommand, onAcknowledged },
  });
  const handle = bot.handleInteraction;
  return {
    keeper: bot.keeper,
    status: () => bot.status(),
    invitation: () => bot.invitation(),
    deliver:
      handle &&
      (({ body, headers }: HttpDelivery) =>
        handle(
          Buffer.isBuffer(body) ? body : Buffer.alloc(0),
          textOf(headers['x-signature-ed25519']),
          textOf(headers['x-signature-timestamp']),
        )),
    stop: () => bot.stop(),
  };
}

function textOf(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}
