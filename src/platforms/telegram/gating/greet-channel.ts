import type { ChatMemberUpdated } from 'grammy/types';
import { messageOf } from '#base';
import { noteCard } from '#command';
import { textsFor } from '#command/texts';
import type { TelegramContext } from '#platforms/telegram/answer/telegram-context';
import { isAdmin } from './members.ts';
import { sendPrivately } from './send.ts';

/** The command that makes rules. */
const GATE = 'gate';

/**
 * Nobody can talk to a bot in a channel, so whoever makes it an administrator there hears in private how to
 * go on. A reply to that card is about the channel.
 */
export async function greetChannel(
  telegram: TelegramContext,
  { chat, from, old_chat_member: before, new_chat_member: after }: ChatMemberUpdated,
): Promise<void> {
  if (chat.type !== 'channel' || isAdmin(before) || !isAdmin(after) || from.is_bot) return;
  if (telegram.answerer.commandNamed(GATE) === undefined) return;
  const { chat: words, gate } = textsFor(from.language_code);
  const list = { label: gate.listButton, call: { command: GATE, args: { action: 'list' } } };
  const card = { ...noteCard('plain', chat.title, words.channelGreeting), actions: [[list]] };
  try {
    await sendPrivately(telegram, from.id, String(chat.id), card, from.language_code);
  } catch (error) {
    telegram.log.debug({ reason: messageOf(error) }, 'Telegram: could not greet an administrator');
  }
}
