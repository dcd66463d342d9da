import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that may wait on one connection, and on all together; some 4 KB each. */
const MOST_ON_ONE = 1_000;
const MOST_ON_ALL = 10_000;

const LATEST: unique symbol = Symbol('latest answer');
const QUEUE: unique symbol = Symbol('queue');

interface PipelinedSocket extends Socket {
  /** Of the request that was served last. */
  [LATEST]?: ServerResponse;
  [QUEUE]?: WaitingRequest[];
}

interface WaitingRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

type Serve = (req: IncomingMessage, res: ServerResponse) => void;

/**
 * Serves the requests of each connection one after the other: one that was sent ahead waits until
 * the system has taken all of the answer before it. Node parses what a packet brings at once, and a
 * client that never reads would have hundreds of answers made for it. Nothing more is read from a
 * connection on which requests wait, and one that has sent far too many ahead is ended, as HTTP
 * allows: its client asks again for what was not answered (RFC 9112, 9.3.2).
 */
export class ConnectionQueue {
  readonly #serve: Serve;
  #waiting = 0;

  constructor(serve: Serve) {
    this.#serve = serve;
  }

  /** Serves a request, or lets it wait for its turn. */
  handle(req: IncomingMessage, res: ServerResponse): void {
    const socket: PipelinedSocket = req.socket;
    if (isAnswering(socket)) {
      this.#wait(socket, { req, res });
      return;
    }
    socket[LATEST] = res;
    this.#serve(req, res);
  }

  #wait(socket: PipelinedSocket, request: WaitingRequest): void {
    if (socket.destroyed) return;
    const queue = socket[QUEUE] ?? this.#open(socket);
    if (queue.length >= MOST_ON_ONE || this.#waiting >= MOST_ON_ALL) {
      socket.destroy();
      return;
    }
    queue.push(request);
    this.#waiting += 1;
  }

  /** Begins a queue behind the answer that is being made. */
  #open(socket: PipelinedSocket): WaitingRequest[] {
    const queue: WaitingRequest[] = [];
    const drop = () => {
      this.#waiting -= queue.length;
      queue.length = 0;
    };
    const serveNext = () => {
      const next = queue.shift();
      if (next === undefined) return;
      this.#waiting -= 1;
      if (socket.destroyed) return;
      socket[LATEST] = next.res;
      if (queue.length > 0) {
        next.res.once('close', serveNext);
      } else {
        delete socket[QUEUE];
        socket.off('close', drop);
        socket.off('resume', pauseAgain);
        // The rest of this request may still have to come.
        socket.resume();
      }
      this.#serve(next.req, next.res);
    };
    socket[QUEUE] = queue;
    socket.once('close', drop);
    socket.pause();
    // Node resumes by itself when the socket has drained.
    socket.on('resume', pauseAgain);
    socket[LATEST]?.once('close', serveNext);
    return queue;
  }
}

function pauseAgain(this: Socket): void {
  this.pause();
}

/**
 * Whether an answer is still to come on the connection, or on its way into it. Whatever is written
 * on it meanwhile would stand in the middle of that answer.
 */
export function isAnswering(socket: Socket): boolean {
  const { [LATEST]: latest, [QUEUE]: queue }: PipelinedSocket = socket;
  return (latest !== undefined && !latest.writableFinished) || queue !== undefined;
}
