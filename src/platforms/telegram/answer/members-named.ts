import { UserError } from '#base';
import { shownWord } from '#command';
import type { Texts } from '#command/texts';
import type { Command } from '#commands/answering';
import type { TelegramContext } from './telegram-context.ts';

const USERNAME = /^@([A-Za-z0-9_]{2,32})$/;

/**
 * Replaces the username of a member by their id.
 * @param community the group; undefined in a private chat, where the bot knows nobody's username
 * @throws UserError for somebody whom the bot hasn't met there; RetryableError
 */
export async function withMemberIds(
  { usernames }: Pick<TelegramContext, 'usernames'>,
  command: Command,
  args: Readonly<Record<string, string>>,
  community: string | undefined,
  { chat }: Texts,
): Promise<Readonly<Record<string, string>>> {
  let settled = args;
  for (const { kind, name: option } of command.options) {
    const name = kind === 'member' ? USERNAME.exec(args[option] ?? '')?.[1] : undefined;
    if (name === undefined) continue;
    const account =
      community === undefined ? undefined : await usernames.accountOf(community, name);
    if (account === undefined) {
      throw new UserError('invalid-parameter', chat.unknownMember(shownWord(`@${name}`)));
    }
    settled = { ...settled, [option]: account };
  }
  return settled;
}
