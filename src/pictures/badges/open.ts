import type { Logger } from '#core/logger';
import { GuardedClient, type TargetGuard } from '#runtime/json-http/guarded-client';
import { BadgePictures } from './badge-pictures.ts';
import { reencodeApart } from './reencode-apart.ts';

const MOST_BYTES = 2_000_000;
const TIMEOUT_MS = 5_000;
const MOST_REDIRECTS = 3;

/** Fetches badges' pictures from where their operators say, as far as the guard lets it. */
export function openBadgePictures(
  guard: TargetGuard,
  log: Logger,
): { readonly badges: BadgePictures; close(): Promise<void> } {
  const client = new GuardedClient({
    guard,
    maxBytes: MOST_BYTES,
    timeoutMs: TIMEOUT_MS,
    maxRedirects: MOST_REDIRECTS,
  });
  const badges = new BadgePictures({
    fetch: (url, headers) => client.send({ url, headers }),
    reencode: reencodeApart,
    log,
  });
  return { badges, close: () => client.close() };
}
