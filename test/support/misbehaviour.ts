import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

/** Ways in which a JSON server fails to respond properly. */
export const MISBEHAVIOURS = [
  'hang',
  'drip',
  'reset',
  'break off',
  'status 500',
  'status 429',
  'status 401',
  'redirect',
  'empty',
  'html',
  'half',
  'null',
  'list',
  'huge',
  'gzip',
] as const;
export type Misbehaviour = (typeof MISBEHAVIOURS)[number];

/**
 * Responds in that way. Hanging responses end with the server.
 * @param truth the right body, sent along if that doesn't make it a proper response
 */
export function misbehave(res: ServerResponse, how: Misbehaviour, truth: string): void {
  switch (how) {
    case 'hang':
      return;
    case 'drip': {
      res.writeHead(200);
      // Each byte arrives in time, the whole never.
      const timer = setInterval(() => res.write(' '), 20);
      res.on('close', () => clearInterval(timer));
      return;
    }
    case 'reset':
      res.socket?.resetAndDestroy();
      return;
    case 'break off':
      res.writeHead(200, { 'Content-Length': '100' });
      res.write(truth.slice(0, 9));
      setTimeout(() => res.destroy(), 10);
      return;
    case 'status 500':
    case 'status 429':
    case 'status 401':
      res.writeHead(Number(how.slice('status '.length))).end(truth);
      return;
    case 'redirect':
      res.writeHead(307, { Location: '/elsewhere' }).end(truth);
      return;
    case 'html':
      res.writeHead(200).end('<!doctype html><title>Sign in</title>');
      return;
    case 'half':
      res.writeHead(200).end(truth.slice(0, -1));
      return;
    case 'null':
    case 'list':
    case 'empty':
      res.writeHead(200).end({ null: 'null', list: '[]', empty: '' }[how]);
      return;
    case 'huge':
      res.writeHead(200).end(truth + ' '.repeat(2 * 1024 * 1024));
      return;
    case 'gzip':
      res.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(truth));
      return;
  }
}
