import { afterEach, beforeEach } from 'vitest';
import type { Telegram, TelegramOptions } from '#platforms/telegram/bot';
import { TelegramStandIn } from '../../../bench/servers/telegram/stand-in.ts';
import { startBot } from './bot.ts';

/** A stand-in for every test of a file; a test fails if one of its calls broke a rule. */
export function useTelegram(): {
  readonly telegram: () => TelegramStandIn;
  /** Starts a bot that is stopped after the test. */
  readonly start: (changes?: Partial<TelegramOptions>) => Telegram;
} {
  let standIn: TelegramStandIn;
  const bots: Telegram[] = [];
  beforeEach(async () => {
    standIn = await TelegramStandIn.open();
  });
  afterEach(async () => {
    for (const bot of bots.splice(0)) await bot.stop();
    await standIn.close();
    standIn.check();
  });
  return {
    telegram: () => standIn,
    start: (changes) => {
      const bot = startBot(standIn, changes);
      bots.push(bot);
      return bot;
    },
  };
}
