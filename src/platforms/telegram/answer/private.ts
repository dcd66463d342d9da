import type { MaybeInaccessibleMessage, Message, User } from 'grammy/types';
import { type Card, noteCard } from '#command';
import type { Texts } from '#command/texts';
import { isClosed, isExpected } from '#platforms/telegram/connection/faults';
import { retryable } from '#platforms/telegram/gating/refusals';
import { sendCard, sendSentence } from './deliver.ts';
import { privateChat, replyTargetOf } from './reply-target.ts';
import { deepLink, type TelegramContext } from './telegram-context.ts';
import { waitToSend } from './wait-to-send.ts';

/*
 * Private answers to a command in a group go to the caller's private chat. Bot API 10.2 can message
 * one member of a group (`receiver_user_id`), but doesn't guarantee delivery, and an older Bot API
 * server ignores the parameter and posts the text to everyone. A key is shown once: it must neither
 * get lost nor be read by others.
 */

/** Who asked, and with which message, or by the button of which. */
interface Asker {
  readonly user: User;
  readonly asked: MaybeInaccessibleMessage | undefined;
}

interface Privately {
  readonly delivered: boolean;
  /** Text for the chat where the command was sent. */
  readonly notice: string;
  readonly link: { readonly label: string; readonly url: string };
}

/**
 * Answers in the caller's private chat. We check first that we can write there, so that no key is
 * created that nobody will see.
 * @param command run by the link to the private chat
 * @param community the group where the command was sent
 * @param words for the reader of the notice
 */
export async function answerPrivately(
  telegram: TelegramContext,
  asker: Asker,
  command: string,
  community: string | undefined,
  words: Texts['chat'],
  ask: () => Promise<Card>,
): Promise<Privately> {
  const { user, asked } = asker;
  if (!(await canWriteTo(telegram, asker))) return startFirst(telegram, words, command, community);
  const card = await ask();
  const audience = { locale: user.language_code, owner: undefined, community };
  // A key in it is shown once: it mustn't be lost.
  await waitToSend(telegram, asked, () => sendCard(telegram, privateChat(user.id), card, audience));
  const { username } = telegram.me();
  const link = { label: words.openPrivate, url: `https://t.me/${username}` };
  return { delivered: true, notice: words.sentPrivately, link };
}

/**
 * Says in the group that an answer is in the private chat, or why it isn't. Where the bot may write nothing, such as
 * in a closed topic, an answer speaks for itself, and that there's none is said in the group's general topic.
 */
export async function sayInGroup(
  telegram: TelegramContext,
  message: Message & { readonly from: User },
  { delivered, notice, link }: Privately,
  words: Texts['chat'],
): Promise<void> {
  const place = replyTargetOf(message);
  const card = noteCard('plain', '', notice);
  const alone = () => sendSentence(telegram, place, notice, link);
  try {
    await telegram.toGroup({ message, link, card, alone });
  } catch (error) {
    if (!isClosed(error)) throw error;
    if (delivered) return;
    if (place.threadId === undefined) throw error;
    const general = { chatId: place.chatId, threadId: undefined, replyTo: undefined };
    await sendSentence(telegram, general, words.closedHere, link);
  }
}

function startFirst(
  telegram: TelegramContext,
  words: Texts['chat'],
  command: string,
  community: string | undefined,
): Privately {
  const link = { label: words.openPrivate, url: deepLink(telegram, command, community) };
  return { delivered: false, notice: words.startFirst, link };
}

/** Bots can't write to users who never pressed Start; trying is the only way to find out. */
async function canWriteTo(telegram: TelegramContext, { user, asked }: Asker): Promise<boolean> {
  try {
    await waitToSend(telegram, asked, () => telegram.api.sendChatAction(user.id, 'typing'));
    return true;
  } catch (error) {
    if (isExpected(error)) return false;
    throw error;
  }
}

/**
 * Sends a card about a group to someone's private chat.
 * @param locale of the card's language, if known
 * @returns false if the bot may not message them
 * @throws RetryableError
 */
export async function sendPrivately(
  telegram: TelegramContext,
  chatId: number,
  community: string,
  card: Card,
  locale?: string | undefined,
): Promise<boolean> {
  try {
    await sendCard(telegram, privateChat(chatId), card, { locale, owner: undefined, community });
    return true;
  } catch (error) {
    if (isExpected(error)) return false;
    throw retryable(error, telegram.log);
  }
}
