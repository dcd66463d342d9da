import type { Message, User } from 'grammy/types';
import type { Card } from '#core/card';
import { withoutCommand } from '#core/pasted-address';
import { textsFor } from '#core/texts/index';
import { LINK, readBare } from '#platforms/telegram/answer/bare';
import { sendCard, sendSentence } from '#platforms/telegram/answer/deliver';
import { callerOf, type Desk, type UpdateOutcome } from '#platforms/telegram/answer/desk';
import { measured } from '#platforms/telegram/answer/measured';
import { chatPlaceOf } from '#platforms/telegram/answer/place';
import { answerPrivately } from '#platforms/telegram/answer/private';
import { readCommand, repliedTo, type TypedText } from '#platforms/telegram/answer/question';
import { askTyped, type CommandCaller } from '#platforms/telegram/answer/typed';

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

/** A command; in a private chat also what comes without one. */
function questionIn(
  desk: Desk,
  message: TextMessage,
  isKnown: (name: string) => boolean,
): TypedText | undefined {
  const typed = readCommand(message.text, desk.me().username, isKnown);
  if (typed !== undefined || message.chat.type !== 'private') return typed;
  const bare = readBare(message.text, isKnown);
  // Another bot's command, or a signature: base64 may begin with a slash.
  return message.text.startsWith('/') && bare.name !== LINK ? undefined : bare;
}

async function answer(desk: Desk, message: TextMessage, typed: TypedText): Promise<UpdateOutcome> {
  const { from } = message;
  const locale = from.language_code;
  const caller = callerOf(from, message.chat);
  const asker: CommandCaller = { caller, locale, ...rightsOf(desk, message) };
  const warning = await desk.answerer.secretIn(typed.name, [withoutCommand(message.text)], asker);
  if (warning !== undefined) {
    // Said where it was typed: others see the secret as long as it stands there, and who wrote it may
    // never have opened the private chat. The warning repeats nothing.
    await sendCard(desk, chatPlaceOf(message), warning, {
      locale,
      owner: undefined,
      community: undefined,
    });
    return 'refused';
  }
  const ask = (): Promise<Card> => askTyped(desk, typed, asker, repliedTo(message));
  const place = chatPlaceOf(message);
  const privately = async (given: () => Promise<Card>): Promise<UpdateOutcome> => {
    // In the name of a chat: nobody is told who wrote it, so there is no private chat to answer in.
    if (message.sender_chat !== undefined) {
      await sendSentence(desk, place, textsFor(locale).chat.writeAsYourself);
      return 'refused';
    }
    const { community } = caller;
    const { delivered, notice, link } = await answerPrivately(
      desk,
      from,
      typed.name,
      community,
      given,
    );
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
  await sendCard(desk, place, card, { locale, owner: ownerOf(message), community: undefined });
  return 'answered';
}

/** Whether a moderator of the group has written it, which is looked up only for who wants to know. */
function rightsOf(desk: Desk, message: TextMessage): Pick<CommandCaller, 'isModerator'> {
  const { chat, from, sender_chat: sender } = message;
  if (chat.type === 'private') return {};
  // In the name of the group itself its anonymous administrators write, in that of a channel anybody.
  if (sender !== undefined) return { isModerator: () => sender.id === chat.id };
  return { isModerator: () => desk.moderators.includes(String(chat.id), String(from.id)) };
}

/** Anybody may press in a private chat (there is one person), and where nobody knows who asked. */
function ownerOf(message: TextMessage) {
  const anonymous = message.sender_chat !== undefined;
  return message.chat.type === 'private' || anonymous ? undefined : callerOf(message.from);
}
