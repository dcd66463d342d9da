import type { Api, Bot } from 'grammy';
import type { BotCommand, LanguageCode, Update } from 'grammy/types';
import { type BackoffRange, type Logger, ProblemLog, truncate } from '#base';
import { Backoff, sleep } from '#base/waiting';
import { SeenOnce } from '#cluster';
import { LANGUAGES, textsFor } from '#command/texts';
import type { Command } from '#commands/answering';
import { COMMANDS_MAX, DESCRIPTION_MAX } from '#platforms/telegram/limits';
import { callSignal } from './call-signal.ts';
import { describeCall } from './faults.ts';
import type { TelegramSession } from './session.ts';

/** Fetches the bot's identity once, which also validates the token. */
export async function identify(bot: Bot, log: Logger, signal: AbortSignal): Promise<void> {
  if (bot.isInited()) return;
  const me = await bot.api.getMe(callSignal(signal));
  bot.botInfo = me;
  if (!me.supports_inline_queries) {
    log.info({}, `Telegram: to answer @${me.username} in any chat, send /setinline to @BotFather`);
  }
}

/** Milliseconds for which a name that the bot didn't have is another bot's. */
const OTHERS_MS = 30_000;

interface OwnNameOptions {
  readonly bot: Bot;
  readonly log: Logger;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
  readonly signal: AbortSignal;
}

/** The bot's own username, which its owner may change; Telegram doesn't report that. */
export class OwnName {
  readonly #options: OwnNameOptions;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(options: OwnNameOptions) {
    this.#options = options;
  }

  /** Asks for it again from time to time. */
  async follow(everyMs: number): Promise<void> {
    const { signal } = this.#options;
    while (!signal.aborted) {
      await sleep(everyMs, signal);
      if (!signal.aborted) await this.#ask();
    }
  }

  /** Somebody calls a bot by this name, which may be the one that this bot has got since. */
  async heard(name: string): Promise<void> {
    const { bot, clock } = this.#options;
    if (name.toLowerCase() === bot.botInfo.username.toLowerCase()) return;
    // Other bots of a group are called all the time.
    if (clock() - this.#askedAt < OTHERS_MS) return;
    await this.#ask();
  }

  async #ask(): Promise<void> {
    const { bot, log, clock, signal } = this.#options;
    this.#askedAt = clock();
    try {
      bot.botInfo = await bot.api.getMe(callSignal(signal));
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

/** In groups, administrators see the last list instead of the others. */
const SCOPES = [
  'default',
  'all_private_chats',
  'all_group_chats',
  'all_chat_administrators',
] as const;
type ScopeType = (typeof SCOPES)[number];

/**
 * Whether a chat's menu lists a command. Private commands aren't offered in groups, except those that
 * are about the group, though we answer them privately.
 */
function isOffered(command: Command, scope: ScopeType): boolean {
  if (command.forModerators === true) return scope === 'all_chat_administrators';
  const isHere = !command.private || command.isOfCommunity === true;
  return isHere || scope === 'default' || scope === 'all_private_chats';
}

function commandList(
  commands: readonly Command[],
  language: string | undefined,
  scope: ScopeType,
): BotCommand[] {
  const texts = textsFor(language);
  return commands
    .filter((command) => isOffered(command, scope))
    .slice(0, COMMANDS_MAX)
    .map((command) => ({
      command: command.name,
      description: truncate(command.about(texts), DESCRIPTION_MAX),
    }));
}

/**
 * Updates the command lists of every language and scope. Unchanged lists aren't written, since every
 * write makes all clients reload them.
 * @returns how many lists were written
 */
async function registerCommands(
  api: Api,
  commands: readonly Command[],
  signal: AbortSignal,
): Promise<number> {
  const [, ...others] = LANGUAGES;
  let written = 0;
  // No language: the default for users whose language has no list.
  for (const language of [undefined, ...others]) {
    for (const type of SCOPES) {
      if (signal.aborted) return written;
      const wanted = commandList(commands, language, type);
      const where = {
        scope: { type },
        ...(language !== undefined && { language_code: language as LanguageCode }),
      };
      if (same(await api.getMyCommands(where), wanted)) continue;
      await api.setMyCommands(wanted, where);
      written += 1;
    }
  }
  return written;
}

function same(there: readonly BotCommand[], wanted: readonly BotCommand[]): boolean {
  return (
    there.length === wanted.length &&
    wanted.every((each, i) => {
      const other = there[i];
      return other?.command === each.command && other.description === each.description;
    })
  );
}
