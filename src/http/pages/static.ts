import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  chooseEncoding,
  conditionsOf,
  contentTag,
  evaluate,
  preconditionFailed,
} from '#http/negotiation';
import { sendJsonProblem } from './json-problem.ts';

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

/** Sends the file, or what the request's conditions ask for in its place. */
export function sendStatic(
  request: FastifyRequest,
  reply: FastifyReply,
  file: StaticFile,
): FastifyReply {
  if (answersConditions(request, reply, file)) return reply;
  reply.headers(file.headers).header('ETag', file.etag);
  if (!acceptsGzip(request)) return reply.send(file.plain);
  return reply.header('Content-Encoding', 'gzip').send(file.gzip);
}

/**
 * Evaluates the request's conditions: sends a 304 if the client has this version, a 412 if it wants another. With an
 * error, conditions mean nothing.
 * @param etag of what would be sent with a 200
 * @param headers of the same
 * @returns whether it responded
 */
export function answersConditions(
  request: FastifyRequest,
  reply: FastifyReply,
  { etag, headers }: Pick<StaticFile, 'etag' | 'headers'>,
): boolean {
  if (reply.statusCode !== 200) return false;
  const outcome = evaluate(conditionsOf(request.headers), { etag });
  if (outcome === 'send') return false;
  if (outcome === 'not-modified') reply.headers(headers).header('ETag', etag).code(304).send();
  else sendJsonProblem(request, reply, 'precondition-failed', preconditionFailed().detail);
  return true;
}

export function acceptsGzip({ headers }: FastifyRequest): boolean {
  return chooseEncoding(headers['accept-encoding'], ['gzip']).encoding !== undefined;
}

const NAMES = ['secrets.js', 'key-pairs.js', 'key-pair-forms.js', 'bytes.js', 'faults.js'];
const WORDS = new URL('../../linking/challenge/seed-words/', import.meta.url);

/** The scripts by which a page recognises secrets itself, by their paths below its own. */
export function secretAssets(path: string): Map<string, string | URL> {
  return new Map<string, string | URL>([
    ...NAMES.map((name) => [`${path}/${name}`, `link/${name}`] as const),
    ...readdirSync(WORDS).map(
      (name) => [`${path}/seed-words/${name.replace('.ts', '.js')}`, new URL(name, WORDS)] as const,
    ),
  ]);
}
