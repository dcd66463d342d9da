import { InputFile } from 'grammy';
import type { Card, CardFile } from '#core/card';
import { FILE_MAX } from '#core/card';
import type { Desk } from '#platforms/telegram/answer/desk';
import { at, type ChatPlace, isPrivate } from '#platforms/telegram/answer/place';
import { describeCall, isExpected } from '#platforms/telegram/connection/faults';
import { FILE_NAME_MAX } from '#platforms/telegram/limits';

const NAME = /^[a-z0-9.-]+$/;

/**
 * Sends a card's file after the card. Never throws: the card has arrived, so the command succeeded.
 */
export async function sendFile(desk: Desk, place: ChatPlace, card: Card): Promise<void> {
  const { file } = card;
  if (file === undefined || (card.private && !isPrivate(place))) return;
  if (!isSound(file)) {
    const { name, text } = file;
    desk.log.error({ name: name.slice(0, 100), length: text.length }, 'bug: invalid file');
    return;
  }
  try {
    // Bytes, unlike a stream, can be sent again on retry.
    const document = new InputFile(new TextEncoder().encode(file.text), file.name);
    await desk.api.sendDocument(place.chatId, document, at(place));
  } catch (error) {
    const reason = describeCall(error);
    if (isExpected(error)) desk.log.debug({ reason }, 'Telegram: could not deliver a file');
    else desk.log.error({ reason }, 'Telegram: sent a card without its file');
  }
}

/** Telegram refuses an empty file. */
function isSound({ name, text }: CardFile): boolean {
  const named = NAME.test(name) && name.length <= FILE_NAME_MAX;
  return named && text !== '' && text.length <= FILE_MAX;
}
