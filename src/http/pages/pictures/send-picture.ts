import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Guard } from '#http/pages/guard';
import { hasVersion } from '#http/pages/static';
import type { CardFormat, PreparedPicture } from '#pictures/shown';

const CONTENT_TYPES: Readonly<Record<CardFormat, string>> = {
  png: 'image/png',
  svg: 'image/svg+xml',
};

const HEADERS = {
  'Cache-Control': 'public, max-age=30, stale-while-revalidate=60',
  'X-Content-Type-Options': 'nosniff',
  // An SVG can be opened as a page; this one may load and run nothing.
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
  // Other sites may embed pictures.
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Access-Control-Allow-Origin': '*',
};

/**
 * Sends a picture, or 304 if the client has it.
 * @param limitNew called before one is drawn: cached ones cost nothing
 */
export async function sendPicture(
  request: FastifyRequest,
  reply: FastifyReply,
  picture: PreparedPicture,
  format: CardFormat,
  limitNew: Guard,
): Promise<FastifyReply> {
  const etag = `W/"${picture.digest}"`;
  if (hasVersion(request, etag)) {
    return reply.headers(HEADERS).header('ETag', etag).code(304).send();
  }
  let bytes = picture.kept;
  if (bytes === undefined) {
    if (await limitNew(request, reply)) return reply;
    bytes = await picture.draw();
  }
  reply.headers(HEADERS).headers({ ETag: etag, 'Content-Type': CONTENT_TYPES[format] });
  return reply.send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}
