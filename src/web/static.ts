import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Something that stays the same as long as the process runs, plain and compressed. */
export interface StaticFile {
  readonly headers: Readonly<Record<string, string>>;
  readonly etag: string;
  readonly plain: Buffer;
  readonly gzip: Buffer;
}

/** What the page consists of, beside itself. */
const ASSETS = {
  'app.js': 'text/javascript; charset=utf-8',
  'combobox.js': 'text/javascript; charset=utf-8',
  'emoji.js': 'text/javascript; charset=utf-8',
  'discord.js': 'text/javascript; charset=utf-8',
  'dom.js': 'text/javascript; charset=utf-8',
  'markdown.js': 'text/javascript; charset=utf-8',
  'panel.js': 'text/javascript; charset=utf-8',
  'service.js': 'text/javascript; charset=utf-8',
  'telegram.js': 'text/javascript; charset=utf-8',
  'time.js': 'text/javascript; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
  'ask.css': 'text/css; charset=utf-8',
  'chats.css': 'text/css; charset=utf-8',
  'discord.css': 'text/css; charset=utf-8',
  'emoji.svg': 'image/svg+xml',
  'icon.svg': 'image/svg+xml',
};

/** The files of the page by name. They are read once: no path of a request ever reaches the disk. */
export function loadAssets(): ReadonlyMap<string, StaticFile> {
  return new Map(
    Object.entries(ASSETS).map(([name, contentType]) => {
      const content = readFileSync(new URL(`./assets/${name}`, import.meta.url));
      const headers = {
        'Content-Type': contentType,
        // Asked for again each time, so that a page never runs with the scripts of another version.
        'Cache-Control': 'no-cache',
        'Cross-Origin-Resource-Policy': 'same-origin',
        'X-Content-Type-Options': 'nosniff',
        Vary: 'Accept-Encoding',
      };
      return [name, staticFile(content, headers)];
    }),
  );
}

export function staticFile(content: Buffer, headers: Readonly<Record<string, string>>): StaticFile {
  const etag = `W/"${hash('sha256', content, 'base64url').slice(0, 22)}"`;
  return { headers, etag, plain: content, gzip: gzipSync(content, { level: 9 }) };
}

/** Sends the file, or 304 to who has it already. */
export function sendStatic(
  request: FastifyRequest,
  reply: FastifyReply,
  file: StaticFile,
): FastifyReply {
  reply.headers(file.headers).header('ETag', file.etag);
  const known = request.headers['if-none-match'];
  if (known?.split(',').some((each) => each.trim() === file.etag)) return reply.code(304).send();
  const accepted = String(request.headers['accept-encoding'] ?? '');
  if (!/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|\s|$))/.test(accepted)) return reply.send(file.plain);
  return reply.header('Content-Encoding', 'gzip').send(file.gzip);
}
