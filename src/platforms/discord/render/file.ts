import type { RequestData } from 'discord.js';
import { type Card, type CardPicture, FILE_MAX } from '#command';
import { FILE } from '#platforms/discord/limits';

/** A file to upload with a message. */
export interface Upload {
  readonly name: string;
  readonly data: Buffer;
  readonly contentType: string;
  /** Read out to those who can't see it; at most 1024 characters. */
  readonly description?: string;
}

/** The file that a card's picture is uploaded as. */
export const PICTURE_NAME = 'rank-card.png';

const NAME = /^[a-z0-9.-]+$/;

/**
 * A card's file.
 * @returns undefined if there is none
 * @throws RangeError if it can't be sent, which is a bug of the command
 */
export function uploadOf({ file }: Card): Upload | undefined {
  if (file === undefined) return undefined;
  const { name, text } = file;
  if (!NAME.test(name) || name.length > FILE.name)
    throw new RangeError('a file with an invalid name');
  if (text.length > FILE_MAX) throw new RangeError(`a file of ${text.length} characters`);
  if (text === '') throw new RangeError('an empty file');
  // At most three times as many bytes; Discord accepts 10 MiB from bots everywhere.
  const data = Buffer.from(text);
  return { name, data, contentType: 'text/plain; charset=utf-8' };
}

/** A card's picture, unless Discord fetches it itself. */
export function pictureUpload(picture: CardPicture | undefined): Upload | undefined {
  if (picture === undefined || picture.url !== undefined) return undefined;
  const { png, alt } = picture;
  const data = Buffer.from(png.buffer, png.byteOffset, png.byteLength);
  return { name: PICTURE_NAME, data, contentType: 'image/png', description: alt };
}

/**
 * A message with its file, or without: files that `attachments` doesn't list are removed from the
 * message. https://discord.com/developers/docs/reference#uploading-files
 */
export function withUpload(
  message: object,
  upload: Upload | undefined,
): Pick<RequestData, 'body' | 'files'> {
  if (upload === undefined) return { body: { ...message, attachments: [] } };
  const { name: filename, description } = upload;
  const attachments = [{ id: '0', filename, ...(description !== undefined && { description }) }];
  return { body: { ...message, attachments }, files: [upload] };
}
