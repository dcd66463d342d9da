import type { Message } from 'grammy/types';
import { type Call, encodeCall } from '#command';
import { textsFor } from '#command/texts';
import { NO_PREVIEW } from '#platforms/telegram/render/card';
import { at, replyTargetOf } from './reply-target.ts';
import type { TelegramContext } from './telegram-context.ts';

/** Whether a message is an anonymous administrator's, who writes as the group itself. */
export function isAnonymous({ sender_chat: sender, chat }: Message): boolean {
  return sender !== undefined && sender.id === chat.id;
}

/**
 * Telegram doesn't say who writes anonymously, but it says who presses a button, to the bot alone. The
 * answer goes to the private chat of whoever does, if they are a moderator.
 */
export async function askWho(
  telegram: TelegramContext,
  message: Message,
  call: Call,
  locale: string | undefined,
): Promise<void> {
  const { chat } = textsFor(locale);
  const place = replyTargetOf(message);
  await telegram.api.sendMessage(place.chatId, chat.anonymous, {
    link_preview_options: NO_PREVIEW,
    ...at(place),
    reply_markup: {
      inline_keyboard: [
        [{ text: chat.anonymousButton, callback_data: codeOf(telegram, message, call) }],
      ],
    },
  });
}

function codeOf(telegram: TelegramContext, message: Message, call: Call): string {
  const command = telegram.answerer.commandNamed(call.command);
  try {
    if (command !== undefined) return encodeCall(call, command, undefined);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return telegram.anonymousCalls.keep(call, message.chat.id, message.message_id);
}
