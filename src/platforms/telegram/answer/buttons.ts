import type { CallbackQuery } from 'grammy/types';
import { decodeCall } from '#core/call-code';
import type { Call, Card } from '#core/card';
import { cut, literal } from '#core/literal';
import { textsFor } from '#core/texts/index';
import { edit, render, type Shown } from '#platforms/telegram/answer/deliver';
import { callerOf, type Desk, deepLink, type Outcome } from '#platforms/telegram/answer/desk';
import { measured } from '#platforms/telegram/answer/measured';
import { answerPrivately } from '#platforms/telegram/answer/private';
import { isFailure } from '#platforms/telegram/answer/typed';
import { CALLBACK_TEXT_MAX } from '#platforms/telegram/limits';

/** Answers the press of a button by editing the message that has it. */
export async function onButton(desk: Desk, query: CallbackQuery & { data: string }): Promise<void> {
  const decoded = decodeCall(query.data, desk.answerer.commands);
  const shown = shownBy(query);
  const { errors } = textsFor(query.from.language_code);
  if (decoded === undefined || shown === undefined) {
    await measured(desk, 'unknown', () => refuse(desk, query, errors.oldButton));
    return;
  }
  const { call, isOwner } = decoded;
  await measured(desk, call.command, async () => {
    if (!isOwner(callerOf(query.from))) return await refuse(desk, query, errors.notYours);
    return await press(desk, query, call, shown);
  });
}

async function press(desk: Desk, query: CallbackQuery, call: Call, shown: Shown): Promise<Outcome> {
  const { from } = query;
  const locale = from.language_code;
  const ask = () => desk.answerer.answer({ call, caller: callerOf(from), locale });
  const alone = query.message?.chat.type === 'private';
  if (!alone && desk.answerer.commandNamed(call.command)?.private === true) {
    return await tellPrivately(desk, query, call.command, ask);
  }
  const card = await ask();
  if (isFailure(card)) {
    // Shown over the card, which stays and can be pressed again.
    await desk.api.answerCallbackQuery(query.id, { text: sentenceOf(card), show_alert: true });
    return 'answered';
  }
  if (!alone && card.private) {
    return await tellPrivately(desk, query, call.command, () => Promise.resolve(card));
  }
  // First, as it must come within seconds, and the edit may have to wait for its turn.
  await desk.api.answerCallbackQuery(query.id);
  await edit(desk, shown, render(desk, card, locale, alone ? undefined : callerOf(from)));
  return 'answered';
}

async function tellPrivately(
  desk: Desk,
  query: CallbackQuery,
  command: string,
  ask: () => Promise<Card>,
): Promise<Outcome> {
  const { delivered, notice } = await answerPrivately(desk, query.from, command, ask);
  await desk.api.answerCallbackQuery(
    query.id,
    // The link opens the chat with a Start button that asks for the same.
    delivered ? { text: notice } : { url: deepLink(desk, command) },
  );
  return delivered ? 'answered' : 'refused';
}

async function refuse(desk: Desk, query: CallbackQuery, text: string): Promise<Outcome> {
  await desk.api.answerCallbackQuery(query.id, { text: cut(text, CALLBACK_TEXT_MAX) });
  return 'refused';
}

function shownBy(query: CallbackQuery): Shown | undefined {
  if (query.inline_message_id !== undefined) return { inlineId: query.inline_message_id };
  if (query.message === undefined) return undefined;
  return { chatId: query.message.chat.id, messageId: query.message.message_id };
}

/** A card's words without its form. What is shown over a chat is never linked. */
function sentenceOf(card: Card): string {
  const spans = card.blocks.flatMap((block) => (block.kind === 'text' ? block.spans : []));
  const words = spans.map((span) => {
    if (typeof span === 'string') return span;
    if ('bold' in span) return span.bold;
    if ('italic' in span) return span.italic;
    return 'code' in span ? span.code : '';
  });
  const text = literal(words.join('') || card.title, CALLBACK_TEXT_MAX);
  // Counted in UTF-16 code units by Telegram, and in graphemes by us.
  return text.length <= CALLBACK_TEXT_MAX ? text : literal(text, CALLBACK_TEXT_MAX / 4);
}
