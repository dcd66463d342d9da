import type { Logger } from '#core/logger';
import { GuardedClient, type TargetGuard } from '#runtime/json-http/guarded-client';
import { BadgePictures } from './badge-pictures.ts';
import { reencodeApart } from './reencode-apart.ts';

const MOST_BYTES = 2_000_000;
const TIMEOUT_MS = 5_000;
/** A process that decodes takes a tenth of a second. */
const DECODE_MS = 10_000;
const MOST_REDIRECTS = 3;

/** Fetches badges' pictures from where their operators say, as far as the guard lets it. */
export function openBadgePictures(
  guard: TargetGuard,
  log: Logger,
  // Longer in tests, which must pass on a machine that is busy.
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
