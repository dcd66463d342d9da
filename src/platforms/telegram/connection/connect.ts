import type { Bot } from 'grammy';
import type { Update } from 'grammy/types';
import type { Command } from '#core/command';
import type { Logger } from '#core/logger';
import { describeCall } from '#platforms/telegram/connection/faults';
import type { TelegramSession } from '#platforms/telegram/connection/link';
import { registerCommands } from '#platforms/telegram/register';
import { Backoff, type BackoffRange } from '#runtime/backoff';
import { SayOnce } from '#runtime/say-once';
import { SeenOnce } from '#runtime/seen-once';
import { sleep } from '#runtime/sleep';

/** Finds out who the bot is, which also tells whether the token is right; asked once. */
export async function identify(bot: Bot, log: Logger, signal: AbortSignal): Promise<void> {
  if (bot.isInited()) return;
  const me = await bot.api.getMe(signal as Parameters<typeof bot.api.getMe>[0]);
  bot.botInfo = me;
  if (!me.supports_inline_queries) {
    log.info({}, `Telegram: to answer @${me.username} in any chat, send /setinline to @BotFather`);
  }
}

/** Registers the commands, later if not now: without the lists the bot answers all the same. */
export async function keepRegistered(
  bot: Bot,
  commands: readonly Command[],
  backoffRange: BackoffRange,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const backoff = new Backoff(backoffRange);
  const trouble = new SayOnce(log);
  while (!signal.aborted) {
    try {
      const written = await registerCommands(bot.api, commands, signal);
      if (written > 0) log.info({ written }, 'Telegram: command lists brought up to date');
      return;
    } catch (error) {
      if (signal.aborted) return;
      const reason = describeCall(error);
      trouble.say(
        'lists',
        'warn',
        { reason },
        'Telegram: the command lists are not up to date yet',
      );
      await sleep(backoff.next(), signal);
    }
  }
}

/** Handles updates and lets no error out. @param onAgain told of one that another may have handled */
export function updateHandler(
  bot: Bot,
  log: Logger,
  onAgain: (update: Update) => void,
): TelegramSession['dispatch'] {
  return async (update, isAgain) => {
    if (isAgain) onAgain(update);
    try {
      await bot.handleUpdate(update);
    } catch (error) {
      // grammY's own error holds the context, and with it the token: only its words go on.
      const cause = error instanceof Error && 'error' in error ? error.error : error;
      log.error({ reason: describeCall(cause) }, 'a bug: an update was not handled');
    }
  };
}

/** Handles every update once, where only this process gets them. */
export function handlerOnce({
  dispatch,
  underWay,
}: TelegramSession): (update: Update) => Promise<void> {
  const seen = new SeenOnce<number>();
  return async (update) => {
    const id = update.update_id;
    if (seen.isNew(id)) await underWay.run(id, () => dispatch(update, false));
  };
}
