import { GrammyError, HttpError, InputFile } from 'grammy';
import type { Message } from 'grammy/types';
import { messageOf } from '#base';
import { type Card, pictureOn } from '#command';
import {
  type EditOutcome,
  isUnknownRefusal,
  NotSent,
  type PostOutcome,
  type ReportRefusal,
  unknownRefusal,
} from '#gating';
import { edit, render } from '#platforms/telegram/answer/deliver';
import { peopleIn } from '#platforms/telegram/answer/people';
import type { TelegramContext } from '#platforms/telegram/answer/telegram-context';
import { noRetrySignal } from '#platforms/telegram/connection/call-signal';
import { describeCall } from '#platforms/telegram/connection/faults';
import {
  isRefused,
  newIdIn,
  type OnMoved,
  refusalOf,
  retryable,
  unknownRefusalIn,
} from './refusals.ts';

/** Milliseconds that a message may take, with all waits for Telegram's limits. */
const PATIENCE_MS = 60_000;
const CAPTION_MAX = 1_024;
const PICTURE_NAME = 'rank-card.png';

/**
 * Posts a card to a group or channel, once and silently. Telegram can't tell whether a message whose answer was
 * lost is there.
 * @throws NotSent, RetryableError
 */
export async function postCard(
  telegram: TelegramContext,
  chat: number,
  card: Card,
  onMoved: OnMoved,
): Promise<PostOutcome> {
  requireName(telegram, card);
  const picture = await pictureOn(card);
  const names = await telegram.people.namesOf(String(chat), peopleIn(card));
  const audience = {
    ...{ locale: undefined, owner: undefined, community: undefined },
    group: String(chat),
  };
  const rendered = render(telegram, card, audience, { names, isQuiet: true, picture });
  const { text, entities, keyboard, preview } = rendered;
  const rest = {
    disable_notification: true,
    ...(keyboard !== undefined && { reply_markup: keyboard }),
  };
  const signal = noRetrySignal(PATIENCE_MS);
  const sendText = async (): Promise<PostOutcome> =>
    await posted(telegram, chat, onMoved, () =>
      telegram.api.sendMessage(
        chat,
        text,
        { ...rest, entities, link_preview_options: preview },
        signal,
      ),
    );
  if (picture === undefined || picture.url !== undefined || text.length > CAPTION_MAX) {
    return await sendText();
  }
  const captioned = { ...rest, caption: text, caption_entities: entities };
  const outcome = await posted(telegram, chat, onMoved, () =>
    telegram.api.sendPhoto(chat, new InputFile(picture.png, PICTURE_NAME), captioned, signal),
  );
  // A group may forbid pictures alone.
  return 'message' in outcome ? outcome : await sendText();
}

/** Replaces what a post of ours says. @throws RetryableError */
export async function editCard(
  telegram: TelegramContext,
  chat: number,
  messageId: number,
  card: Card,
  onMoved: OnMoved,
): Promise<EditOutcome> {
  requireName(telegram, card);
  const audience = {
    ...{ locale: undefined, owner: undefined, community: undefined },
    group: String(chat),
  };
  try {
    await edit(telegram, { chatId: chat, messageId }, render(telegram, card, audience));
    return 'done';
  } catch (error) {
    const moved = newIdIn(error);
    if (moved !== undefined) {
      onMoved(String(chat), moved);
      throw retryable(error, telegram.log);
    }
    const words = error instanceof GrammyError && isRefused(error) ? error.description : '';
    if (/message is not modified/i.test(words)) return 'done';
    if (/message (?:to edit not found|can't be edited)|MESSAGE_ID_INVALID/i.test(words)) {
      return 'gone';
    }
    const why = postRefusalIn(error);
    if (why !== undefined && !isUnknownRefusal(why)) return { refused: why };
    throw retryable(error, telegram.log);
  }
}

/** @returns false if it's still there, as Telegram doesn't let the bot delete it. @throws RetryableError */
export async function deletePost(
  telegram: TelegramContext,
  chat: number | undefined,
  id: number | undefined,
): Promise<boolean> {
  if (chat === undefined || id === undefined) return true;
  return (await tryOnPost(telegram, () => telegram.api.deleteMessage(chat, id))) !== 'refused';
}

/** @throws RetryableError */
export async function pinPost(
  telegram: TelegramContext,
  chat: number | undefined,
  id: number | undefined,
): Promise<void> {
  if (chat === undefined || id === undefined) return;
  const quietly = { disable_notification: true };
  await tryOnPost(telegram, () => telegram.api.pinChatMessage(chat, id, quietly));
}

/**
 * What is done to a post if Telegram lets us: administrators may have taken the right.
 * @returns why it didn't
 * @throws RetryableError
 */
async function tryOnPost(
  { log }: TelegramContext,
  work: () => Promise<unknown>,
): Promise<'missing' | 'refused' | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (!isRefused(error) || isUnsent(error)) throw retryable(error, log);
    const reason = describeCall(error);
    log.debug({ reason }, "Telegram: a post can't be pinned or deleted");
    return /message to (?:delete|pin) not found|MESSAGE_ID_INVALID/i.test(reason)
      ? 'missing'
      : 'refused';
  }
}

/** Links to the private chat need the bot's name, which it learns when it connects. @throws NotSent */
function requireName(telegram: TelegramContext, card: Card): void {
  if (!card.actions.flat().some((each) => 'call' in each && each.forPresser === true)) return;
  try {
    telegram.me();
  } catch (cause) {
    throw new NotSent('Telegram is not connected yet.', { cause });
  }
}

async function posted(
  { log }: TelegramContext,
  chat: number,
  onMoved: OnMoved,
  send: () => Promise<Message>,
): Promise<PostOutcome> {
  try {
    return { message: String((await send()).message_id) };
  } catch (error) {
    const moved = newIdIn(error);
    if (moved !== undefined) onMoved(String(chat), moved);
    if (moved !== undefined || isUnsent(error)) {
      throw new NotSent(`Telegram: ${describeCall(error)}`, { cause: error });
    }
    const why = postRefusalIn(error);
    if (why === undefined) throw retryable(error, log);
    log.warn({ community: String(chat), reason: describeCall(error) }, 'Telegram rejected a post');
    return { refused: why };
  }
}

/** Why a chat doesn't take a post; undefined if that may pass. */
function postRefusalIn(error: unknown): ReportRefusal | undefined {
  if (!(error instanceof GrammyError) || !isRefused(error)) return undefined;
  const refusal = refusalOf(error);
  if (refusal === 'gone') return 'channel-gone';
  if (refusal === 'no-right') return 'chat-closed';
  return unknownRefusalIn(error) ?? unknownRefusal(error.error_code);
}

const UNREACHED = /\b(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN)\b/;

/** Whether Telegram has certainly not got it, or says that it wants it later. */
function isUnsent(error: unknown): boolean {
  if (error instanceof GrammyError) return error.error_code === 429;
  if (error instanceof HttpError) return UNREACHED.test(describeCall(error));
  // A wait for flood limits was aborted.
  return /^Request aborted/.test(messageOf(error));
}
