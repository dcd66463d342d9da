import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { wallMs } from '#core/clock';
import type { AdmissionControl, PeerAdmission } from './admission-control.ts';
import { closeAfterReading } from './close-after-reading.ts';
import { isAnswering } from './connection-queue.ts';
import type { ServerState } from './exchange.ts';
import type { RouteMetrics } from './metrics.ts';
import { isUnderV1, maxLengthOf } from './paths.ts';
import { methodNotAllowed, PROBLEMS, type Problem, problemBody } from './problems.ts';
import { normalizeTarget } from './request-target.ts';
import { DEMO_HEADER, problemHeaders } from './respond.ts';

interface Options {
  readonly admission: AdmissionControl;
  readonly state: Pick<ServerState, 'isDemo'>;
  readonly metrics: RouteMetrics;
  readonly nextId: () => string;
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
    const { target, ended } = requestLineOf(error.rawPacket);
    const url = normalizeTarget(target ?? '/');
    const most = maxLengthOf(url);
    const overflowed = target !== undefined && (!ended || url.length > most);
    this.#answer(socket, problemOf(error, overflowed ? most : undefined), url);
  }

  /** Listener of `connect`. */
  onConnect(req: { url?: string | undefined }, socket: Socket): void {
    // Without a listener, a socket error would crash the process.
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
      ? this.#options.admission.admitPeer(socket.remoteAddress ?? '')
      : undefined;
    if (counted instanceof Promise) {
      counted.then(
        (admission) => this.#write(socket, fault, url, admission),
        // Report what's wrong even if we couldn't count the request.
        () => this.#write(socket, fault, url, undefined),
      );
    } else {
      this.#write(socket, fault, url, counted);
    }
  }

  #write(socket: Socket, fault: Problem, url: string, counted: PeerAdmission | undefined): void {
    // The client may have gone while we counted the request.
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const problem = counted?.problem ?? fault;
    const id = this.#options.nextId();
    const body = problemBody(problem, url, id);
    const { status } = PROBLEMS[problem.code];
    const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`];
    const headers = problemHeaders(problem, body, id, counted?.quota);
    if (this.#options.state.isDemo) headers.push(...DEMO_HEADER);
    for (let i = 0; i < headers.length; i += 2) lines.push(`${headers[i]}: ${headers[i + 1]}`);
    lines.push(`Date: ${new Date(wallMs()).toUTCString()}`, 'Connection: close', '', body);
    this.#options.metrics.observe(status, 0);
    socket.end(lines.join('\r\n'));
    closeAfterReading(socket);
  }
}

/**
 * The request target if the packet starts with a request line, and whether the target ends in that
 * packet. For a request line split over packets Node gives us only the last one, which tells neither.
 */
function requestLineOf(packet: Buffer | undefined): {
  target: string | undefined;
  ended: boolean;
} {
  const text = packet?.toString('latin1') ?? '';
  const match = /^(?:\r\n)*[A-Z-]{3,20} ([^ \r\n]*)([ \r\n])?/.exec(text);
  return { target: match?.[1], ended: match?.[2] !== undefined };
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
