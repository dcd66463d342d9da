import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { wallMs } from '#core/clock';
import { isAnswering } from './connection-queue.ts';
import type { ServerState } from './exchange.ts';
import type { Gate, PeerAdmission } from './gate.ts';
import type { RouteMetrics } from './metrics.ts';
import { isUnderV1, URL_MAX } from './paths.ts';
import { methodNotAllowed, PROBLEMS, type Problem, problemBody } from './problems.ts';
import { normalizeTarget } from './request-target.ts';
import { DEMO_HEADER, problemHeaders } from './respond.ts';

/** How long a client may take to read the answer before its connection is cut. */
const LINGER = 1_000;

interface Parts {
  readonly gate: Gate;
  readonly state: Pick<ServerState, 'isDemo'>;
  readonly metrics: RouteMetrics;
  readonly nextId: () => string;
}

/** What Node tells of a request that it could not parse. */
interface ParseError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

/**
 * Answers what never became a request: garbage, headers that are too large, clients that are too
 * slow, CONNECT. There is no response object, so the text is written on the socket itself, with
 * `Connection: close`, since where the next request would begin is unknown.
 */
export class BrokenRequests {
  readonly #parts: Parts;
  readonly #answered = new WeakSet<Socket>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Listener of `clientError`. */
  onClientError(error: ParseError, socket: Socket): void {
    // The parser reports again for every further packet; one answer is enough.
    if (this.#answered.has(socket)) return;
    if (!socket.writable || error.code === 'ECONNRESET' || isAnswering(socket)) {
      socket.destroy();
      return;
    }
    const { target, ended } = requestLineOf(error.rawPacket);
    const overflowed = target !== undefined && (!ended || target.length > URL_MAX);
    this.#answer(socket, problemOf(error, overflowed), normalizeTarget(target ?? '/'));
  }

  /** Listener of `connect`. */
  onConnect(req: { url?: string | undefined }, socket: Socket): void {
    // Without listeners an error of the socket would end the process.
    socket.on('error', () => socket.destroy());
    if (isAnswering(socket)) {
      socket.destroy();
      return;
    }
    this.#answer(socket, methodNotAllowed('CONNECT'), normalizeTarget(req.url ?? '/'));
  }

  #answer(socket: Socket, fault: Problem, url: string): void {
    this.#answered.add(socket);
    const counted = isUnderV1(url)
      ? this.#parts.gate.admitPeer(socket.remoteAddress ?? '')
      : undefined;
    if (counted instanceof Promise) {
      counted.then(
        (admission) => this.#write(socket, fault, url, admission),
        // Who can't be counted is told what is wrong all the same.
        () => this.#write(socket, fault, url, undefined),
      );
    } else {
      this.#write(socket, fault, url, counted);
    }
  }

  #write(socket: Socket, fault: Problem, url: string, counted: PeerAdmission | undefined): void {
    // It may have gone while it was counted.
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const problem = counted?.problem ?? fault;
    const id = this.#parts.nextId();
    const body = problemBody(problem, url, id);
    const { status } = PROBLEMS[problem.code];
    const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`];
    const headers = problemHeaders(problem, body, id, counted?.quota);
    if (this.#parts.state.isDemo) headers.push(...DEMO_HEADER);
    for (let i = 0; i < headers.length; i += 2) lines.push(`${headers[i]}: ${headers[i + 1]}`);
    lines.push(`Date: ${new Date(wallMs()).toUTCString()}`, 'Connection: close', '', body);
    this.#parts.metrics.observe(status, 0);
    socket.end(lines.join('\r\n'));
    // Closing at once while the client is still sending would reset the connection, and the answer
    // would be lost on its way. So what still comes is read and dropped for a moment.
    socket.resume();
    const timer = setTimeout(() => socket.destroy(), LINGER);
    socket.once('close', () => clearTimeout(timer));
  }
}

/**
 * The request target, as far as the packet is the beginning of a request, and whether it ends
 * there. Of a request line in many small packets only the last is given, which tells neither.
 */
function requestLineOf(packet: Buffer | undefined): {
  target: string | undefined;
  ended: boolean;
} {
  const text = packet?.toString('latin1') ?? '';
  const match = /^(?:\r\n)*[A-Z-]{3,20} ([^ \r\n]*)([ \r\n])?/.exec(text);
  return { target: match?.[1], ended: match?.[2] !== undefined };
}

function problemOf(error: ParseError, targetOverflowed: boolean): Problem {
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    return targetOverflowed
      ? { code: 'uri-too-long', detail: `Path and query may have at most ${URL_MAX} characters.` }
      : { code: 'headers-too-large', detail: 'The headers of a request may have 16 KiB in all.' };
  }
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return {
      code: 'request-timeout',
      detail: 'The headers must arrive within 5 seconds and the whole request within 10.',
    };
  }
  return { code: 'bad-request', detail: 'This is not a proper HTTP/1.1 request.' };
}
