import { wallSeconds } from '#base';
import type { Exchange } from './exchange.ts';

/** Where Node keeps the response head until it sends it with the first bytes of the body. */
interface WithHead {
  _header: string | null;
}

/**
 * Starts a 200 with prebuilt header lines. Node validates and joins headers one by one, which costs
 * a tenth of a request; we write every character of these ourselves, so there is nothing to
 * validate. For connections that will close we use Node's own way, because Node tracks that.
 * @param lines `Name: value\r\n` each; no part may contain line breaks from outside
 */
export function writeHead({ req, res, server }: Exchange, lines: string): void {
  if (res.shouldKeepAlive && req.httpVersionMinor === 1 && !server.draining) {
    (res as unknown as WithHead)._header =
      `HTTP/1.1 200 OK\r\n${lines}${dateLine()}${server.keptLines}`;
    return;
  }
  const headers = lines.split('\r\n').flatMap((line) => {
    const colon = line.indexOf(': ');
    return colon < 0 ? [] : [line.slice(0, colon), line.slice(colon + 2)];
  });
  if (server.draining) headers.push('Connection', 'close');
  res.writeHead(200, headers);
}

/** Idle seconds between requests on a connection: slightly more than the usual 60 of load balancers. */
export const KEEP_ALIVE = 65;

/** @param seconds for which an idle connection stays open */
export function keptLines(seconds: number): string {
  return `Connection: keep-alive\r\nKeep-Alive: timeout=${seconds}\r\n\r\n`;
}

let dateSecond = 0;
let dateText = '';

/** Cached for the current second. */
function dateLine(): string {
  const second = wallSeconds();
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = `Date: ${new Date(second * 1000).toUTCString()}\r\n`;
  }
  return dateText;
}
