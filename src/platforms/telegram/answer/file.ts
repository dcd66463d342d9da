import { InputFile } from 'grammy';
import type { Card, CardFile } from '#core/card';
import { FILE_MAX } from '#core/card';
import type { Desk } from '#platforms/telegram/answer/desk';
import { at, type ChatPlace, isPrivate } from '#platforms/telegram/answer/place';
import { describeCall, isExpected } from '#platforms/telegram/connection/faults';
import { FILE_NAME_MAX } from '#platforms/telegram/limits';

const NAME = /^[a-z0-9.-]+$/;

/**
 * Sends the file that comes with a card, after the card. It never throws: the card is there, and
 * whoever waits for more must be told of that much.
 */
export async function sendFile(desk: Desk, place: ChatPlace, card: Card): Promise<void> {
  const { file } = card;
  if (file === undefined || (card.private && !isPrivate(place))) return;
  if (!isSound(file)) {
    const { name, text } = file;
    desk.log.error({ name: name.slice(0, 100), length: text.length }, 'a bug: no such file');
    return;
  }
  try {
    // As bytes, which can be sent again after a fault.
    const document = new InputFile(new TextEncoder().encode(file.text), file.name);
    await desk.api.sendDocument(place.chatId, document, at(place));
  } catch (error) {
    const reason = describeCall(error);
    if (isExpected(error)) desk.log.debug({ reason }, 'Telegram: a file was not delivered');
    else desk.log.error({ reason }, 'Telegram: a card went without its file');
  }
}

/** Telegram refuses an empty file. */
function isSound({ name, text }: CardFile): boolean {
  const named = NAME.test(name) && name.length <= FILE_NAME_MAX;
  return named && text !== '' && text.length <= FILE_MAX;
}
