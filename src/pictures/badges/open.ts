import type { Logger } from '#core/logger';
import { GuardedClient, type TargetGuard } from '#runtime/json-http/guarded-client';
import { BadgePictures } from './badge-pictures.ts';
import { reencodeApart } from './reencode-apart.ts';

const MOST_BYTES = 2_000_000;
const TIMEOUT_MS = 5_000;
/** A decoding process takes about a tenth of a second. */
const DECODE_MS = 10_000;
const MOST_REDIRECTS = 3;

/** Fetches badge pictures from the URLs that operators chose, as far as the guard allows. */
export function openBadgePictures(
  guard: TargetGuard,
  log: Logger,
  // Longer in tests, which must pass on a busy machine.
  { timeoutMs = TIMEOUT_MS, decodeMs = DECODE_MS } = {},
): { readonly badges: BadgePictures; close(): Promise<void> } {
  const client = new GuardedClient({
    guard,
    maxBytes: MOST_BYTES,
    timeoutMs,
    maxRedirects: MOST_REDIRECTS,
  });
  const badges = new BadgePictures({
    fetch: (url, headers) => client.send({ url, headers }),
    reencode: (file) => reencodeApart(file, decodeMs),
    log,
  });
  return { badges, close: () => client.close() };
}
