import { type IncomingHttpHeaders, type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type Logger, wallMs } from '#base';
import type { AdmissionControl, PeerAdmission } from '#http/api/admission/admission-control';
import { errorBody, methodNotAllowed, PROBLEMS, type Problem } from '#http/api/answer/problems';
import { DEMO_HEADER, problemHeaders } from '#http/api/answer/respond';
import { isUnderV1, maxLengthOf, normalizeTarget } from '#http/api/routes/paths';
import { closeAfterReading, isAnswering } from './connection-guards.ts';
import type { ServerState } from './exchange.ts';
import type { RouteMetrics } from './metrics.ts';

interface Options {
  readonly admission: AdmissionControl;
  readonly state: Pick<ServerState, 'isDemo' | 'errorPage'>;
  readonly metrics: RouteMetrics;
  readonly nextId: () => string;
  readonly log: Logger;
}

/** What arrived of a request. */
interface BrokenRequest {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** Node's report of a request that it could not parse. */
interface ParseError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

/**
 * Answers what never became a request: garbage, oversized headers, slow clients, CONNECT. There is
 * no response object, so we write to the socket itself and send `Connection: close`, because we
 * can't tell where the next request would begin.
 */
export class BrokenRequests {
  readonly #options: Options;
  readonly #answered = new WeakSet<Socket>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Listener of `clientError`. */
  onClientError(error: ParseError, socket: Socket): void {
    // The parser reports every further packet too; one response is enough.
    if (this.#answered.has(socket)) return;
    if (!socket.writable || error.code === 'ECONNRESET' || isAnswering(socket)) {
      socket.destroy();
      return;
    }
    const packet = error.rawPacket?.toString('latin1') ?? '';
    const { target, ended } = requestLineOf(packet);
    const url = normalizeTarget(target ?? '/');
    const most = maxLengthOf(url);
    const overflowed = target !== undefined && (!ended || url.length > most);
    const fault = problemOf(error, overflowed ? most : undefined);
    this.#answer(socket, fault, { url, headers: headersOf(packet) });
  }

  /** Listener of `connect`. */
  onConnect(req: Pick<IncomingMessage, 'url' | 'headers'>, socket: Socket): void {
    // Without a listener, a socket error would crash the process.
    socket.on('error', () => socket.destroy());
    if (isAnswering(socket)) {
      socket.destroy();
      return;
    }
    const url = normalizeTarget(req.url ?? '/');
    this.#answer(socket, methodNotAllowed('CONNECT'), { url, headers: req.headers });
  }

  #answer(socket: Socket, fault: Problem, request: BrokenRequest): void {
    this.#answered.add(socket);
    const counted = isUnderV1(request.url)
      ? this.#options.admission.admitPeer(socket.remoteAddress ?? '')
      : undefined;
    if (counted instanceof Promise) {
      counted.then(
        (admission) => this.#write(socket, fault, request, admission),
        // Report what's wrong even if we couldn't count the request.
        () => this.#write(socket, fault, request, undefined),
      );
    } else {
      this.#write(socket, fault, request, counted);
    }
  }

  #write(
    socket: Socket,
    fault: Problem,
    request: BrokenRequest,
    counted: PeerAdmission | undefined,
  ): void {
    // The client may have gone while we counted the request.
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const problem = counted?.problem ?? fault;
    const id = this.#options.nextId();
    const { errorPage, isDemo } = this.#options.state;
    const body = errorBody(problem, { ...request, id }, errorPage);
    const { status } = PROBLEMS[problem.code];
    const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`];
    const headers = problemHeaders(problem, body, id, counted?.quota);
    if (isDemo) headers.push(...DEMO_HEADER);
    for (let i = 0; i < headers.length; i += 2) lines.push(`${headers[i]}: ${headers[i + 1]}`);
    lines.push(`Date: ${new Date(wallMs()).toUTCString()}`, 'Connection: close', '', body.text);
    this.#options.metrics.observe(status, 0);
    this.#options.log.debug({ requestId: id, route: 'broken', status }, 'request');
    socket.end(lines.join('\r\n'));
    closeAfterReading(socket);
  }
}

/**
 * The request target if the packet starts with a request line, and whether the target ends in that
 * packet. For a request line split over packets Node gives us only the last one, which tells neither.
 */
function requestLineOf(packet: string): {
  target: string | undefined;
  ended: boolean;
} {
  const match = /^(?:\r\n)*[A-Z-]{3,20} ([^ \r\n]*)([ \r\n])?/.exec(packet);
  return { target: match?.[1], ended: match?.[2] !== undefined };
}

/** Headers that an error page depends on, as far as they arrived in the packet. */
const PAGE_HEADER = /^(accept|accept-language|cookie):[ \t]*(.{0,1000})/gim;

function headersOf(packet: string): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = {};
  for (const [, name = '', value = ''] of packet.matchAll(PAGE_HEADER)) {
    headers[name.toLowerCase()] ??= value.trim();
  }
  return headers;
}

/** @param most characters that the target may have, if it is the target that has too many */
function problemOf(error: ParseError, most: number | undefined): Problem {
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    return most !== undefined
      ? { code: 'uri-too-long', detail: `Path and query can have at most ${most} characters.` }
      : { code: 'headers-too-large', detail: 'Request headers can have at most 16 KiB in total.' };
  }
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return {
      code: 'request-timeout',
      detail: 'Headers must arrive within 5 seconds and the whole request within 10.',
    };
  }
  return { code: 'bad-request', detail: "This isn't a valid HTTP/1.1 request." };
}
