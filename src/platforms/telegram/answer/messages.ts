import type { Message, User } from 'grammy/types';
import type { Card } from '#core/card';
import { firstAddress } from '#platforms/telegram/answer/addresses';
import { type Place, render, send, sendSentence } from '#platforms/telegram/answer/deliver';
import { callerOf, type Desk, type Outcome } from '#platforms/telegram/answer/desk';
import { measured } from '#platforms/telegram/answer/measured';
import { answerPrivately } from '#platforms/telegram/answer/private';
import { readCommand, repliedAddress, type Typed } from '#platforms/telegram/answer/question';
import { askTyped } from '#platforms/telegram/answer/typed';

type TextMessage = Message.TextMessage & { readonly from: User };

/** Answers a message if it asks us something. */
export async function onMessage(desk: Desk, message: Message.TextMessage): Promise<void> {
  if (!isFromPerson(message)) return;
  const isKnown = (name: string) => desk.answerer.commandNamed(name) !== undefined;
  const typed = questionIn(desk, message, isKnown);
  if (typed === undefined) return;
  const known = isKnown(typed.name);
  // In a group it may be another bot's command, or a joke.
  if (!known && message.chat.type !== 'private' && !typed.addressed) return;
  await measured(desk, known ? typed.name : 'unknown', () => answer(desk, message, typed));
}

/** Not from a bot, not through one (a card of ours sent in the inline mode), not from a channel. */
function isFromPerson(message: Message.TextMessage): message is TextMessage {
  if (message.via_bot !== undefined || message.is_automatic_forward === true) return false;
  if (message.from === undefined) return false;
  return !message.from.is_bot || message.sender_chat !== undefined;
}

/** A command; in a private chat also an address on its own, or anything, which gets help. */
function questionIn(
  desk: Desk,
  message: TextMessage,
  isKnown: (name: string) => boolean,
): Typed | undefined {
  const typed = readCommand(message.text, desk.me().username, isKnown);
  if (typed !== undefined || message.chat.type !== 'private') return typed;
  if (message.text.startsWith('/')) return undefined;
  const address = firstAddress(message.text);
  if (address === undefined) return { name: 'help', words: [], addressed: true };
  return { name: 'rep', words: [address], addressed: true };
}

async function answer(desk: Desk, message: TextMessage, typed: Typed): Promise<Outcome> {
  const { from } = message;
  const locale = from.language_code;
  const ask = (): Promise<Card> =>
    askTyped(desk, typed, callerOf(from), locale, repliedAddress(message));
  const place = placeOf(message);
  const privately = async (given: () => Promise<Card>): Promise<Outcome> => {
    const { delivered, notice, link } = await answerPrivately(desk, from, typed.name, given);
    await sendSentence(desk, place, notice, link);
    return delivered ? 'answered' : 'refused';
  };
  const inGroup = message.chat.type !== 'private';
  if (inGroup && desk.answerer.commandNamed(typed.name)?.private === true) {
    return await privately(ask);
  }
  const card = await ask();
  // An error about what somebody just wrote here for all to see may be shown here as well.
  if (inGroup && card.private && card.tone !== 'error') {
    return await privately(() => Promise.resolve(card));
  }
  await send(desk, place, render(desk, card, locale, ownerOf(message)));
  return 'answered';
}

function placeOf(message: TextMessage): Place {
  return {
    chatId: message.chat.id,
    // Replies in an ordinary group have a thread id too, which must not be sent back.
    threadId: message.is_topic_message === true ? message.message_thread_id : undefined,
    replyTo: message.chat.type === 'private' ? undefined : message.message_id,
  };
}

/** Anybody may press in a private chat (there is one person), and where nobody knows who asked. */
function ownerOf(message: TextMessage) {
  const anonymous = message.sender_chat !== undefined;
  return message.chat.type === 'private' || anonymous ? undefined : callerOf(message.from);
}
