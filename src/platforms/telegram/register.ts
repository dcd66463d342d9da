import type { Api } from 'grammy';
import type { BotCommand, LanguageCode } from 'grammy/types';
import type { Command } from '#core/command';
import { truncate } from '#core/sanitize-text';
import { LANGUAGES, textsFor } from '#core/texts/index';
import { COMMANDS_MAX, DESCRIPTION_MAX } from '#platforms/telegram/limits';

/** An administrator is shown the last one in groups, instead of the others. */
const SCOPES = [
  'default',
  'all_private_chats',
  'all_group_chats',
  'all_chat_administrators',
] as const;
type ScopeType = (typeof SCOPES)[number];

/**
 * Whether the menu of a chat lists a command. What can't be shown in a group isn't offered there; what
 * moderators ask belongs to a group, though it is answered privately.
 */
function isOffered(command: Command, scope: ScopeType): boolean {
  if (command.forModerators === true) return scope === 'all_chat_administrators';
  return !command.private || scope === 'default' || scope === 'all_private_chats';
}

/** Commands as the menu of a chat lists them. */
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
 * Brings the lists of every language and scope up to date. A list is written only when it differs,
 * as every write makes all clients load it again.
 * @returns how many were written
 */
export async function registerCommands(
  api: Api,
  commands: readonly Command[],
  signal: AbortSignal,
): Promise<number> {
  const [, ...others] = LANGUAGES;
  let written = 0;
  // Without a language: for all who have none of the others.
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
