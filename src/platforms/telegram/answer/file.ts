import { InputFile } from 'grammy';
import { type Card, type CardFile, type CardPicture, FILE_MAX } from '#command';
import { describeCall, isExpected } from '#platforms/telegram/connection/faults';
import { FILE_NAME_MAX } from '#platforms/telegram/limits';
import { at, isPrivate, type ReplyTarget } from './reply-target.ts';
import type { TelegramContext } from './telegram-context.ts';

const NAME = /^[a-z0-9.-]+$/;
const PICTURE_NAME = 'rank-card.png';

/**
 * Sends a card's file after the card. Never throws: the card has arrived, so the command succeeded.
 */
export async function sendFile(
  telegram: TelegramContext,
  place: ReplyTarget,
  card: Card,
): Promise<void> {
  const { file } = card;
  if (file === undefined || (card.private && !isPrivate(place))) return;
  if (!isSound(file)) {
    const { name, text } = file;
    telegram.log.error({ name: name.slice(0, 100), length: text.length }, 'bug: invalid file');
    return;
  }
  await follow(telegram, 'file', () =>
    // Bytes, unlike a stream, can be sent again on retry.
    telegram.api.sendDocument(
      place.chatId,
      new InputFile(new TextEncoder().encode(file.text), file.name),
      { ...at(place), ...(file.about !== undefined && { caption: file.about }) },
    ),
  );
}

/** Sends a card's picture after the card, unless it's shown in it already. Never throws, as above. */
export async function sendPictureAfter(
  telegram: TelegramContext,
  place: ReplyTarget,
  { url, png }: CardPicture,
): Promise<void> {
  if (url !== undefined) return;
  await follow(telegram, 'picture', () =>
    telegram.api.sendPhoto(place.chatId, new InputFile(png, PICTURE_NAME), at(place)),
  );
}

/** Sends what follows a card. */
async function follow(
  telegram: TelegramContext,
  what: string,
  send: () => Promise<unknown>,
): Promise<void> {
  try {
    await send();
  } catch (error) {
    const reason = describeCall(error);
    if (isExpected(error)) telegram.log.debug({ reason }, `Telegram: could not deliver a ${what}`);
    else telegram.log.error({ reason }, `Telegram: sent a card without its ${what}`);
  }
}

/** Telegram refuses an empty file. */
function isSound({ name, text }: CardFile): boolean {
  const named = NAME.test(name) && name.length <= FILE_NAME_MAX;
  return named && text !== '' && text.length <= FILE_MAX;
}
