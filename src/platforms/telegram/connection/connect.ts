import type { Bot } from 'grammy';
import type { Update } from 'grammy/types';
import { type Logger, ProblemLog } from '#base';
import { Backoff, type BackoffRange, sleep } from '#base/waiting';
import { SeenOnce } from '#cluster';
import type { Command } from '#commands/answering';
import { registerCommands } from '#platforms/telegram/register';
import { describeCall } from './faults.ts';
import type { TelegramSession } from './link.ts';

/** Fetches the bot's identity once, which also validates the token. */
export async function identify(bot: Bot, log: Logger, signal: AbortSignal): Promise<void> {
  if (bot.isInited()) return;
  const me = await bot.api.getMe(signal as Parameters<typeof bot.api.getMe>[0]);
  bot.botInfo = me;
  if (!me.supports_inline_queries) {
    log.info({}, `Telegram: to answer @${me.username} in any chat, send /setinline to @BotFather`);
  }
}

/** Asks for the bot's identity again from time to time, as Telegram doesn't report a new username. */
export async function followIdentity(
  bot: Bot,
  everyMs: number,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await sleep(everyMs, signal);
    if (signal.aborted) return;
    try {
      bot.botInfo = await bot.api.getMe(signal as Parameters<typeof bot.api.getMe>[0]);
    } catch (error) {
      log.debug({ reason: describeCall(error) }, "Telegram: could not ask for the bot's name");
    }
  }
}

/** Registers the commands, retrying in the background: the bot works without them. */
export async function keepRegistered(
  bot: Bot,
  commands: readonly Command[],
  backoffRange: BackoffRange,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const backoff = new Backoff(backoffRange);
  const trouble = new ProblemLog(log);
  while (!signal.aborted) {
    try {
      const written = await registerCommands(bot.api, commands, signal);
      if (written > 0) log.info({ written }, 'Telegram: updated command lists');
      return;
    } catch (error) {
      if (signal.aborted) return;
      const reason = describeCall(error);
      trouble.report(
        'lists',
        'warn',
        { reason },
        'Telegram: could not update the command lists; retrying',
      );
      await sleep(backoff.next(), signal);
    }
  }
}

/** Never rejects. @param onAgain called for updates that another replica may have handled */
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
      // grammY's error contains the context and with it the token, so we only log the cause's message.
      const cause = error instanceof Error && 'error' in error ? error.error : error;
      log.error({ reason: describeCall(cause) }, 'bug: could not handle an update');
    }
  };
}

/** Handles every update once, if only this process receives them. */
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
