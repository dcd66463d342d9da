import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { chooseEncoding, contentTag, matchesEtag } from '#http/negotiation';

/** Immutable content, plain and compressed. */
export interface StaticFile {
  readonly headers: Readonly<Record<string, string>>;
  readonly etag: string;
  readonly plain: Buffer;
  readonly gzip: Buffer;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  // Without types.
  '.ts': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * Adds a page's assets. Each is read once, on first request: startup waits for none, and no request path ever
 * reaches the disk.
 * @param files request path → path in `assets`, or a library file's URL
 */
export function addAssets(scope: FastifyInstance, files: ReadonlyMap<string, string | URL>): void {
  for (const [url, path] of files) addAsset(scope, url, () => asset(path));
}

/** Adds generated pictures: request path → SVG, generated on first request. */
export function addDrawings(
  scope: FastifyInstance,
  drawings: ReadonlyMap<string, () => string>,
): void {
  for (const [url, draw] of drawings) {
    addAsset(scope, url, () => assetOf(Buffer.from(draw()), '.svg'));
  }
}

function addAsset(scope: FastifyInstance, url: string, make: () => StaticFile): void {
  let file: StaticFile | undefined;
  scope.route({
    method: ['GET', 'HEAD'],
    url,
    handler(request, reply) {
      file ??= make();
      return sendStatic(request, reply, file);
    },
  });
}

function asset(path: string | URL): StaticFile {
  const isOurs = typeof path === 'string';
  const url = isOurs ? new URL(`./assets/${path}`, import.meta.url) : path;
  const source = readFileSync(url, 'utf8');
  return assetOf(Buffer.from(isOurs ? withoutComments(source) : source), extname(url.pathname));
}

function assetOf(content: Buffer, extension: string): StaticFile {
  return staticFile(content, {
    'Content-Type': CONTENT_TYPES[extension] ?? 'application/octet-stream',
    // Revalidated every time, so a page never runs with another version's scripts.
    'Cache-Control': 'no-cache',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    Vary: 'Accept-Encoding',
  });
}

/** Strips comments and indentation. Our comments start a line, and no text spans lines. */
function withoutComments(source: string): string {
  return source
    .replace(/^\s*\/\*.*?\*\/$/gms, '')
    .replace(/^\s*\/\/.*$/gm, '')
    .replace(/^\s+/gm, '');
}

export function staticFile(content: Buffer, headers: Readonly<Record<string, string>>): StaticFile {
  return {
    headers,
    etag: contentTag(content),
    plain: content,
    gzip: gzipSync(content, { level: 9 }),
  };
}

/** Sends the file, or 304 if the client has it. */
export function sendStatic(
  request: FastifyRequest,
  reply: FastifyReply,
  file: StaticFile,
): FastifyReply {
  reply.headers(file.headers).header('ETag', file.etag);
  if (hasVersion(request, file.etag)) return reply.code(304).send();
  if (!acceptsGzip(request)) return reply.send(file.plain);
  return reply.header('Content-Encoding', 'gzip').send(file.gzip);
}

/** Whether the client has this version. */
export function hasVersion({ headers }: FastifyRequest, etag: string): boolean {
  const known = headers['if-none-match'];
  return known !== undefined && matchesEtag(known, etag);
}

export function acceptsGzip({ headers }: FastifyRequest): boolean {
  return chooseEncoding(headers['accept-encoding'], ['gzip']).encoding !== undefined;
}
