import type { Chat, Message, User } from 'grammy/types';
import { RetryableError } from '#base';
import { noteCard } from '#command';
import { textsFor } from '#command/texts';
import { sendPrivately } from './private.ts';
import type { TelegramContext } from './telegram-context.ts';

/** The command that makes rules. */
const GATE = 'gate';

/**
 * Tells a channel's moderator in private how to go on, as nobody can talk to a bot in a channel. A reply to that card
 * is about the channel.
 * @throws RetryableError
 */
export async function sendChannelCard(
  telegram: TelegramContext,
  { id, language_code: locale }: User,
  channel: Chat.ChannelChat,
): Promise<void> {
  if (telegram.answerer.commandNamed(GATE) === undefined) return;
  const { chat, gate } = textsFor(locale);
  const list = { label: gate.listButton, call: { command: GATE, args: { action: 'list' } } };
  const card = { ...noteCard('plain', channel.title, chat.channelGreeting), actions: [[list]] };
  await sendPrivately(telegram, id, String(channel.id), card, locale);
}

/**
 * Answers a post that a moderator of its channel has forwarded to us with how to go on. To anybody else, it's a message
 * like any other.
 * @returns whether it's answered
 */
export async function answersPost(
  telegram: TelegramContext,
  { chat, from, forward_origin: origin }: Message & { readonly from: User },
): Promise<boolean> {
  if (chat.type !== 'private' || origin?.type !== 'channel') return false;
  try {
    const isTheirs = await telegram.moderators.includes(String(origin.chat.id), String(from.id));
    if (isTheirs) await sendChannelCard(telegram, from, origin.chat);
    return isTheirs;
  } catch (error) {
    if (error instanceof RetryableError) return false;
    throw error;
  }
}
