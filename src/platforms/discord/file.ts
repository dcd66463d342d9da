import type { RequestData } from 'discord.js';
import type { Card } from '#core/card';
import { FILE_MAX } from '#core/card';
import { FILE } from './limits.ts';

/** A file as it is uploaded with a message. */
export interface Upload {
  readonly name: string;
  readonly data: Buffer;
  readonly contentType: string;
}

const NAME = /^[a-z0-9.-]+$/;

/**
 * The file that comes with a card.
 * @returns undefined when there is none
 * @throws RangeError for one that can't be sent, which is a bug of the command's
 */
export function uploadOf({ file }: Card): Upload | undefined {
  if (file === undefined) return undefined;
  const { name, text } = file;
  if (!NAME.test(name) || name.length > FILE.name) throw new RangeError('a file of no proper name');
  if (text.length > FILE_MAX) throw new RangeError(`a file of ${text.length} characters`);
  if (text === '') throw new RangeError('a file of nothing');
  // At most three times as many bytes, of the 10 MiB that Discord takes from a bot anywhere.
  const data = Buffer.from(text);
  return { name, data, contentType: 'text/plain; charset=utf-8' };
}

/**
 * A message with its file, or with none: what `attachments` doesn't name is taken off the message.
 * https://discord.com/developers/docs/reference#uploading-files
 */
export function withUpload(
  message: object,
  upload: Upload | undefined,
): Pick<RequestData, 'body' | 'files'> {
  if (upload === undefined) return { body: { ...message, attachments: [] } };
  const attachments = [{ id: '0', filename: upload.name }];
  return { body: { ...message, attachments }, files: [upload] };
}
