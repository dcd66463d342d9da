import type { Api } from 'grammy';
import type { BotCommand, LanguageCode } from 'grammy/types';
import { truncate } from '#base';
import { LANGUAGES, textsFor } from '#command/texts';
import type { Command } from '#commands/answering';
import { COMMANDS_MAX, DESCRIPTION_MAX } from './limits.ts';

/** In groups, administrators see the last list instead of the others. */
const SCOPES = [
  'default',
  'all_private_chats',
  'all_group_chats',
  'all_chat_administrators',
] as const;
type ScopeType = (typeof SCOPES)[number];

/**
 * Whether a chat's menu lists a command. Private commands aren't offered in groups, except moderators'
 * commands: they're about the group, though we answer them privately.
 */
function isOffered(command: Command, scope: ScopeType): boolean {
  if (command.forModerators === true) return scope === 'all_chat_administrators';
  return !command.private || scope === 'default' || scope === 'all_private_chats';
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
export async function registerCommands(
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
