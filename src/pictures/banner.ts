import { hash } from 'node:crypto';
import { type CardErrorCode, RetryableError, UserError } from '#base';
import { HttpFailure } from '#base/json-http';
import type { Banner } from './style/store.ts';
import type { ImageFetcher } from './untrusted/image-fetcher.ts';

/**
 * The stored size in pixels: a third less than a card shows, since it's behind a veil there. At most half a
 * megabyte, whatever it shows.
 */
export const BANNER_SIZE = { width: 800, height: 200 } as const;

/**
 * Fetches a picture as a banner, cropped to its size.
 * @throws UserError `banner-unreachable`, `banner-too-large`, `banner-unreadable`, or RetryableError
 */
export async function fetchBanner(
  door: Pick<ImageFetcher, 'fetch' | 'reencode'>,
  url: string,
): Promise<Banner> {
  const file = await bodyOf(door, url);
  let png: Uint8Array;
  try {
    png = await door.reencode(file, BANNER_SIZE);
  } catch (cause) {
    if (cause instanceof RetryableError) throw cause;
    throw refused('banner-unreadable', cause);
  }
  return { png, digest: hash('sha256', png, 'base64url').slice(0, 22) };
}

async function bodyOf({ fetch }: Pick<ImageFetcher, 'fetch'>, url: string): Promise<Uint8Array> {
  try {
    const { status, bytes } = await fetch(url, {});
    if (status === 200) return bytes;
  } catch (cause) {
    if (!(cause instanceof HttpFailure)) throw cause;
    const isLarge = cause.reason === 'too-large';
    throw refused(isLarge ? 'banner-too-large' : 'banner-unreachable', cause);
  }
  throw refused('banner-unreachable', undefined);
}

function refused(code: CardErrorCode, cause: unknown): UserError {
  return new UserError(code, "This picture can't be used.", [], { cause });
}
