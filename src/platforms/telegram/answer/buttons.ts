import type { CallbackQuery, User } from 'grammy/types';
import { RetryableError, sanitizeText, truncate, UserError } from '#base';
import { REMEMBERED_SECONDS } from '#cluster';
import {
  type Action,
  type Call,
  type Caller,
  type Card,
  decodeCall,
  pictureOn,
  type Span,
} from '#command';
import { outageText, textsFor } from '#command/texts';
import { codeOfCall, describeCall } from '#platforms/telegram/connection/faults';
import { groupOf } from '#platforms/telegram/gating/members';
import { CALLBACK_TEXT_MAX } from '#platforms/telegram/limits';
import {
  carriesCommunity,
  decodeButtonData,
  decodeQuestion,
  type KeptCall,
} from './button-data.ts';
import { type EditableMessage, edit, renderNamed, sendCard, sendFile } from './deliver.ts';
import { answerPrivately } from './private.ts';
import { uploadUrl } from './replied-to.ts';
import { privateChat, replyTargetOf } from './reply-target.ts';
import {
  callerOf,
  deepLink,
  type TelegramContext,
  type UpdateOutcome,
  withAnswer,
  withMetrics,
} from './telegram-context.ts';
import { type CommandCaller, isFailure } from './typed.ts';
import { waitToSend } from './wait-to-send.ts';

/** Handles a button press by editing the message that has the button. */
export async function onButton(
  telegram: TelegramContext,
  query: CallbackQuery & { data: string },
): Promise<void> {
  const { code, community: carried } = decodeButtonData(query.data);
  // A card from before the group became a supergroup carries its former id.
  const community = carried && (await telegram.formerGroups.idNow(carried));
  const decoded = decodedFrom(telegram, code);
  const shown = shownBy(query);
  const { errors } = textsFor(query.from.language_code);
  const command = decoded && telegram.answerer.commandNamed(decoded.call.command);
  const isForged = community !== undefined && command !== undefined && !carriesCommunity(command);
  if (decoded === undefined || shown === undefined || isForged) {
    await withMetrics(telegram, 'unknown', () => refuse(telegram, query, errors.oldButton));
    return;
  }
  const { call, isOwner, isQuestion } = decoded;
  await withMetrics(telegram, call.command, async () => {
    if (!isOwner(callerOf(query.from))) return await refuse(telegram, query, errors.notYours);
    const group = query.message === undefined ? undefined : groupOf(query.message.chat)?.id;
    // What an administrator typed anonymously mustn't be done to others who press the button.
    const isForThem = command?.forModerators === true || isQuestion;
    const place = isForThem ? (community ?? group) : undefined;
    const reason = place === undefined ? undefined : await whyNot(telegram, query.from, place);
    if (reason !== undefined) return await refuse(telegram, query, reason);
    if (!isQuestion) return await press(telegram, query, call, shown, community);
    return await pressQuestion(telegram, query, call, shown);
  });
}

/** Thrown in place of running a command that somebody's press has run already. */
class AlreadyPressed extends Error {
  override readonly name = 'AlreadyPressed';
}

/** For how long a question can be answered: whether it was is remembered for longer, also if clocks differ. */
const QUESTION_SECONDS = REMEMBERED_SECONDS / 2;

/** Runs what an anonymous administrator typed, once, for the first moderator who says that it was them. */
async function pressQuestion(
  telegram: TelegramContext,
  query: CallbackQuery,
  call: KeptCall,
  shown: EditableMessage,
): Promise<UpdateOutcome> {
  const { read } = call;
  const texts = textsFor(query.from.language_code);
  const { chat } = texts;
  // Telegram gives no date of a message that the bot can't see any more.
  const age = telegram.clock() / 1000 - (query.message?.date ?? 0);
  if (age > QUESTION_SECONDS) return await refuse(telegram, query, chat.anonymousLate);
  const key = 'inlineId' in shown ? shown.inlineId : `${shown.chatId} ${shown.messageId}`;
  const { answerer } = telegram;
  const answer: typeof answerer.answer = async (question) => {
    if (!(await telegram.isFirst(`question ${key}`))) throw new AlreadyPressed();
    return await (read?.(question) ?? answerer.answer(question));
  };
  try {
    const once = { ...telegram, answerer: withAnswer(answerer, answer) };
    return await press(once, query, call, shown, undefined);
  } catch (error) {
    if (error instanceof AlreadyPressed) return await refuse(telegram, query, chat.anonymousTaken);
    if (!(error instanceof RetryableError)) throw error;
    return await refuse(telegram, query, outageText(error, 'Telegram', texts));
  }
}

/** A call that a button's data encodes, or stands for, and whether the button asks who typed it. */
function decodedFrom(
  telegram: TelegramContext,
  code: string,
):
  | {
      readonly call: KeptCall;
      readonly isOwner: (caller: Caller) => boolean;
      readonly isQuestion: boolean;
    }
  | undefined {
  const kept = telegram.anonymousCalls.callOf(code);
  if (kept !== undefined) return { call: kept, isOwner: () => true, isQuestion: true };
  const asked = decodeQuestion(code);
  const decoded = decodeCall(asked ?? code, telegram.answerer.commands);
  return decoded && { ...decoded, isQuestion: asked !== undefined };
}

/** Why this user may not press a button that belongs to a group; undefined if they may. */
async function whyNot(
  telegram: TelegramContext,
  from: User,
  community: string,
): Promise<string | undefined> {
  const texts = textsFor(from.language_code);
  try {
    if (await telegram.moderators.includes(community, String(from.id))) return undefined;
    return texts.errors.of(new UserError('gate-not-allowed', 'Only moderators can do that.'));
  } catch (error) {
    if (error instanceof RetryableError) return outageText(error, 'Telegram', texts);
    throw error;
  }
}

/** @param carried the group that the button belongs to; the user is a moderator there */
async function press(
  telegram: TelegramContext,
  query: CallbackQuery,
  call: Call,
  shown: EditableMessage,
  carried: string | undefined,
): Promise<UpdateOutcome> {
  const { from, message } = query;
  const locale = from.language_code;
  const here = callerOf(from, message?.chat);
  const caller = { ...here, community: carried ?? here.community };
  const asker: CommandCaller = { caller, locale, ...rightsOf(telegram, caller) };
  const uploadUrlOf = (picture: string) => uploadUrl(telegram, picture);
  const ask = () => telegram.answerer.answer({ call, ...asker, uploadUrl: uploadUrlOf });
  const alone = message?.chat.type === 'private';
  if (!alone && telegram.answerer.commandNamed(call.command)?.private === true) {
    return await sendPrivately(telegram, query, call.command, caller, ask);
  }
  const card = await ask();
  if (isFailure(card) && !needsMessage(card, message)) {
    // As an alert, so the card stays and the user can press again.
    const isShown = await settle(telegram, query, { text: sentenceOf(card), show_alert: true });
    if (isShown) return 'answered';
    if (!alone) return 'undelivered';
    const presser = { locale, owner: undefined, community: carried };
    await waitToSend(telegram, message, () =>
      sendCard(telegram, privateChat(from.id), card, presser),
    );
    return 'answered';
  }
  if (!alone && card.private) {
    return await sendPrivately(telegram, query, call.command, caller, () => Promise.resolve(card));
  }
  // First, as Telegram expects it within seconds and the edit may be throttled.
  const { toast } = card;
  await settle(
    telegram,
    query,
    toast === undefined ? {} : { text: truncate(toast, CALLBACK_TEXT_MAX) },
  );
  const group = alone ? undefined : caller.community;
  const audience = { locale, owner: alone ? undefined : caller, community: carried, group };
  // An edit can show a picture that Telegram fetches; a photo would be one more message.
  const rendered = await renderNamed(telegram, card, audience, await pictureOn(card));
  await waitToSend(telegram, message, () => edit(telegram, shown, rendered));
  // Telegram doesn't say which chat an inline card was sent to.
  if (message !== undefined) await sendFile(telegram, replyTargetOf(message), card);
  return 'answered';
}

function rightsOf(
  telegram: TelegramContext,
  { id, community }: Caller,
): Pick<CommandCaller, 'isModerator'> {
  if (community === undefined) return {};
  return { isModerator: () => telegram.moderators.includes(community, id) };
}

async function sendPrivately(
  telegram: TelegramContext,
  query: CallbackQuery,
  command: string,
  { community }: Caller,
  ask: () => Promise<Card>,
): Promise<UpdateOutcome> {
  const { delivered, notice } = await answerPrivately(
    telegram,
    { user: query.from, asked: query.message },
    command,
    community,
    textsFor(query.from.language_code).chat,
    ask,
  );
  await settle(
    telegram,
    query,
    // The link opens the private chat with a Start button for the same command.
    delivered ? { text: notice } : { url: deepLink(telegram, command, community) },
  );
  return delivered ? 'answered' : 'refused';
}

/**
 * Ends the wait of whoever pressed. Telegram takes that for a while only: after a restart, or a command that took long,
 * a press is too old for it, and what it asked for is shown all the same.
 * @returns whether they see it
 */
async function settle(
  telegram: TelegramContext,
  { id }: CallbackQuery,
  shown: Parameters<TelegramContext['api']['answerCallbackQuery']>[1],
): Promise<boolean> {
  try {
    await telegram.api.answerCallbackQuery(id, shown);
    return true;
  } catch (error) {
    if (codeOfCall(error) === undefined) throw error;
    telegram.log.debug({ reason: describeCall(error) }, 'Telegram: could not answer a press');
    return false;
  }
}

async function refuse(
  telegram: TelegramContext,
  query: CallbackQuery,
  text: string,
): Promise<UpdateOutcome> {
  await telegram.api.answerCallbackQuery(query.id, { text: truncate(text, CALLBACK_TEXT_MAX) });
  return 'refused';
}

function shownBy(query: CallbackQuery): EditableMessage | undefined {
  if (query.inline_message_id !== undefined) return { inlineId: query.inline_message_id };
  if (query.message === undefined) return undefined;
  return { chatId: query.message.chat.id, messageId: query.message.message_id };
}

/** Partly done, or a question: an alert would leave out counts, members and the buttons that answer it. */
function needsMessage({ tone, blocks, actions }: Card, message: CallbackQuery['message']): boolean {
  if (tone !== 'warning') return false;
  const markup =
    message !== undefined && 'reply_markup' in message ? message.reply_markup : undefined;
  const labels = markup?.inline_keyboard.flat().map(({ text }) => text) ?? [];
  const isHelp = (each: Action) => 'call' in each && each.call.command === 'help';
  return (
    blocks.some(({ kind }) => kind !== 'text') ||
    actions.flat().some((each) => !isHelp(each) && !labels.includes(each.label))
  );
}

/** A card as plain text, for an alert. Telegram doesn't link anything in alerts. */
function sentenceOf(card: Card): string {
  const spans = card.blocks.flatMap((block) => (block.kind === 'text' ? block.spans : []));
  const text = sanitizeText(spans.map(wordsOf).join('') || card.title, CALLBACK_TEXT_MAX);
  // Telegram counts UTF-16 code units, `sanitizeText` counts graphemes.
  return text.length <= CALLBACK_TEXT_MAX ? text : sanitizeText(text, CALLBACK_TEXT_MAX / 4);
}

function wordsOf(span: Span): string {
  if (typeof span === 'string') return span;
  if ('bold' in span) return span.bold;
  if ('italic' in span) return span.italic;
  if ('code' in span) return span.code;
  if ('link' in span) return span.link;
  if ('member' in span) return span.member;
  return 'channel' in span ? span.channel : '';
}
