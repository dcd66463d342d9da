import { wallSeconds } from '#core/clock';
import type { Exchange } from './exchange.ts';

/** Where Node keeps the head of an answer until it is sent with the beginning of the body. */
interface WithHead {
  _header: string | null;
}

/**
 * Begins a 200 whose header lines are put together already. Node checks and joins headers one by
 * one, which costs a tenth of an answer; what stands here is ours to the last character, so there
 * is nothing to check. Connections that are to be closed are left to Node, which keeps account of it.
 * @param lines `Name: value` with a line end each; no line break may come from outside
 */
export function writeHead({ req, res, server }: Exchange, lines: string): void {
  if (res.shouldKeepAlive && req.httpVersionMinor === 1 && !server.draining) {
    (res as unknown as WithHead)._header = `HTTP/1.1 200 OK\r\n${lines}${dateLine()}${KEPT}`;
    return;
  }
  const headers = lines.split('\r\n').flatMap((line) => {
    const colon = line.indexOf(': ');
    return colon < 0 ? [] : [line.slice(0, colon), line.slice(colon + 2)];
  });
  if (server.draining) headers.push('Connection', 'close');
  res.writeHead(200, headers);
}

/** Seconds that a connection may rest between requests: a little over the 60 of load balancers. */
export const KEEP_ALIVE = 65;

const KEPT = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE}\r\n\r\n`;

let dateSecond = 0;
let dateText = '';

/** Of the current second, made once. */
function dateLine(): string {
  const second = wallSeconds();
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = `Date: ${new Date(second * 1000).toUTCString()}\r\n`;
  }
  return dateText;
}
