import { GrammyError } from 'grammy';
import type { Message } from 'grammy/types';
import { RetryableError, UserError } from '#base';
import { describeCall } from '#platforms/telegram/connection/faults';
import type { TelegramContext } from './telegram-context.ts';

/** Tells a file's id from a URL. */
const PREFIX = 'telegram-file:';
/** In pixels; Telegram keeps each photo in several sizes, and no banner needs a wider one. */
const WIDE_ENOUGH = 1_000;
/** `photos/file_12.jpg`; a Bot API server in local mode gives the path on its own disk instead. */
const RELATIVE_PATH = /^(?!.*\.\.)[\w-][\w./-]{0,250}$/;

/** The photo of a message, or a picture that was sent as a file, by a name for `uploadUrl`. */
export function photoIn(message: Message | undefined): string | undefined {
  const sizes = message?.photo?.toSorted((a, b) => a.width - b.width);
  const photo = sizes?.find(({ width }) => width >= WIDE_ENOUGH) ?? sizes?.at(-1);
  const document = message?.document;
  const isPicture = document?.mime_type?.startsWith('image/') === true;
  const id = photo?.file_id ?? (isPicture ? document?.file_id : undefined);
  return id === undefined ? undefined : PREFIX + id;
}

/**
 * Where a picture can be fetched. Of a file on Telegram, the URL contains the bot's token.
 * @throws UserError `banner-unreachable`, `banner-too-large`, RetryableError
 */
export async function uploadUrl(
  { api, fileUrl }: Pick<TelegramContext, 'api' | 'fileUrl'>,
  picture: string,
): Promise<string> {
  if (!picture.startsWith(PREFIX)) return picture;
  const path = await pathOf(api, picture.slice(PREFIX.length));
  if (path !== undefined && RELATIVE_PATH.test(path)) return fileUrl(path);
  throw new UserError('banner-unreachable', 'Telegram gives no path for this file.');
}

async function pathOf(api: TelegramContext['api'], id: string): Promise<string | undefined> {
  try {
    return (await api.getFile(id)).file_path;
  } catch (error) {
    if (!(error instanceof GrammyError) || error.error_code !== 400) {
      throw new RetryableError(describeCall(error), { cause: error });
    }
    throw refusalOf(error);
  }
}

function refusalOf(cause: GrammyError): UserError {
  const code = /too big/i.test(cause.description) ? 'banner-too-large' : 'banner-unreachable';
  return new UserError(code, describeCall(cause), [], { cause });
}
