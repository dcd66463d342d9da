import { isIP } from 'node:net';
import type { CardPicture } from '#core/card';
import { messageOf, RetryableError } from '#core/errors';
import { WEB } from '#core/links/account';
import type { Logger } from '#core/logger';
import { altTextOf } from '#core/pictures/alt-text';
import type { PictureOf, PictureParts } from '#core/pictures/chat-picture';
import { DEFAULT_THEME, datedCardPath } from '#core/pictures/paths';
import type { Pictures } from '#core/pictures/pictures';
import { type CardSettings, historyOf, rankCardOf } from '#core/pictures/rank-card';
import type { ReputationSource } from '#core/ports';
import { within } from '#runtime/within';

/** How long a reply waits for its picture. */
const PATIENCE_MS = 1_000;
/** A picture in time is worth more than its plot. */
const HISTORY_MS = 500;

interface ChatPictureParts {
  readonly pictures: Pick<Pictures, 'card'>;
  readonly source: ReputationSource;
  readonly settings: CardSettings;
  readonly publicUrl: string | undefined;
  readonly log: Logger;
}

/** Makes the pictures of `/rep`. */
export function createChatPictures(parts: ChatPictureParts): PictureOf {
  const { publicUrl, log } = parts;
  const origin = publicUrl !== undefined && isFetchable(publicUrl) ? publicUrl : undefined;
  return (wanted) => () => {
    const drawn = draw(parts, wanted, wanted.caller.platform === WEB ? '' : origin);
    const safe = drawn.catch((error: unknown) => {
      if (error instanceof RetryableError) {
        log.debug({ reason: messageOf(error) }, 'a card goes out without its picture');
      } else log.error({ err: error }, 'bug: could not draw a picture');
      return undefined;
    });
    return within(safe, PATIENCE_MS);
  };
}

/** @param origin of the picture's URL: '' for a page of ours, undefined to upload the file */
async function draw(
  { pictures, source, settings }: ChatPictureParts,
  { wallet, language, ...read }: PictureParts,
  origin: string | undefined,
): Promise<CardPicture> {
  // A separate reading: the history's age says nothing about the figures, and it isn't worth the last of an
  // upstream's quota.
  const reading = source.reading('visitor');
  const history = (await within(historyOf(reading, wallet), HISTORY_MS)) ?? [];
  const card = rankCardOf({ ...read, history }, settings);
  const look = { language, theme: DEFAULT_THEME };
  const picture = await pictures.card({ card, look, format: 'png' });
  const png = picture.kept ?? (await picture.draw());
  const path = datedCardPath(wallet.address, picture.digest, look);
  return {
    png,
    url: origin === undefined ? undefined : `${origin}${path}`,
    alt: altTextOf(card, language),
  };
}

/** Whether the platform's servers can fetch from there, as far as the URL tells. */
function isFetchable(publicUrl: string): boolean {
  const url = URL.parse(publicUrl);
  if (url?.protocol !== 'https:' || url.port !== '') return false;
  const host = url.hostname;
  return isIP(host) === 0 && !host.startsWith('[') && host.includes('.') && !isInternal(host);
}

/** Names that only resolve within a network: https://www.rfc-editor.org/rfc/rfc6761, RFC 6762 and 8375. */
function isInternal(host: string): boolean {
  return /\.(?:localhost|local|internal|test|invalid|example|lan|home\.arpa)\.?$/.test(host);
}
