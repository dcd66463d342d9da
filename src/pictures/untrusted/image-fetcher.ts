import { GuardedClient, type JsonReply, type TargetGuard } from '#base/json-http';
import type { PictureSize } from './picture-size.ts';
import { reencodeInSubprocess } from './reencode-subprocess.ts';

const MOST_BYTES = 2_000_000;
const TIMEOUT_MS = 5_000;
/** A decoding process takes about a tenth of a second, and its processor time is limited. */
const DECODE_MS = 30_000;
const MOST_REDIRECTS = 3;

/** The only entry for pictures from elsewhere: badge pictures, and communities' banners. */
export interface ImageFetcher {
  /**
   * A GET request, as far as the target guard allows.
   * @throws HttpFailure if the target is refused, or doesn't respond within the limits
   */
  fetch(url: string, headers: Readonly<Record<string, string>>): Promise<JsonReply>;
  /**
   * Turns a stranger's file into a PNG of our own.
   * @throws RetryableError if the decoder was killed; otherwise an Error that says why the file is refused
   */
  reencode(file: Uint8Array, size: PictureSize): Promise<Uint8Array>;
  close(): Promise<void>;
}

export function openImageFetcher(
  guard: TargetGuard,
  // Longer in tests, which must pass on a busy machine.
  { timeoutMs = TIMEOUT_MS, decodeMs = DECODE_MS } = {},
): ImageFetcher {
  const limits = { maxBytes: MOST_BYTES, timeoutMs, maxRedirects: MOST_REDIRECTS };
  const client = new GuardedClient({ guard, ...limits });
  return {
    fetch: (url, headers) => client.send({ url, headers }),
    reencode: (file, size) => reencodeInSubprocess(file, size, decodeMs),
    close: () => client.close(),
  };
}
