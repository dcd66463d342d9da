import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { HttpFailure } from './failure.ts';

/** Encodings we can read, by their names in headers. */
const DECODERS = { gzip: createGunzip, br: createBrotliDecompress } as const;
export type Encoding = keyof typeof DECODERS;

/**
 * Reads a body to its end, or stops at the limit, against decompression bombs and slow bodies.
 * @param header `Content-Encoding`
 * @param accepted encodings we requested
 * @param maxBytes limit of the decoded body
 * @throws HttpFailure `too-large` or `encoding`, or what the stream throws
 */
export async function readBody(
  body: Readable,
  header: string | string[] | undefined,
  accepted: readonly Encoding[],
  maxBytes: number,
): Promise<Buffer> {
  // A truncated body also fails here, where nothing may be reading anymore.
  body.on('error', () => {});
  let decoded = body;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    decoded = decode(body, header, accepted);
    for await (const chunk of decoded) {
      size += chunk.length;
      if (size > maxBytes) throw new HttpFailure('too-large', 'sent too large a response');
      chunks.push(chunk);
    }
  } finally {
    body.destroy();
    decoded.destroy();
  }
  return Buffer.concat(chunks);
}

function decode(
  body: Readable,
  header: string | string[] | undefined,
  accepted: readonly Encoding[],
): Readable {
  const name = String(header ?? '').toLowerCase();
  if (name === '' || name === 'identity') return body;
  // RFC 9110, section 8.4.1.3: recipients treat x-gzip as gzip.
  const encoding = accepted.find((each) => name === each || name === `x-${each}`);
  if (encoding === undefined) {
    throw new HttpFailure('encoding', "used an encoding we didn't ask for");
  }
  const decoder = DECODERS[encoding]();
  body.on('error', (error) => decoder.destroy(error));
  return body.pipe(decoder);
}
