import type { Message } from 'grammy/types';
import { textsFor } from '#command/texts';
import { sendSentence } from './deliver.ts';
import { readCommand } from './pending-input.ts';
import { replyTargetOf } from './reply-target.ts';
import { saidIn } from './said.ts';
import type { TelegramContext } from './telegram-context.ts';

/**
 * Tells whoever posts a moderators' command in a channel where it's answered. Everyone reads the channel, and
 * Telegram doesn't say who posts there. Other posts are none of the bot's business.
 */
export async function onChannelPost(telegram: TelegramContext, post: Message): Promise<void> {
  const said = saidIn(post);
  if (said === undefined) return;
  const { answerer } = telegram;
  const { username } = telegram.me();
  const isKnown = (name: string) => answerer.commandNamed(name) !== undefined;
  const typed = readCommand(said, username, isKnown);
  if (typed === undefined || answerer.commandNamed(typed.name)?.forModerators !== true) return;
  const { chat } = textsFor(undefined);
  const link = { label: chat.openPrivate, url: `https://t.me/${username}` };
  await sendSentence(telegram, replyTargetOf(post), chat.forChannel, link);
}
