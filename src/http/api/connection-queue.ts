import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Most requests that may wait on one connection, and on all together; each takes about 4 KB. */
const MOST_ON_ONE = 1_000;
const MOST_ON_ALL = 10_000;

const LATEST: unique symbol = Symbol('latest response');
const QUEUE: unique symbol = Symbol('queue');

interface PipelinedSocket extends Socket {
  /** The response to the newest request that was dispatched. */
  [LATEST]?: ServerResponse;
  [QUEUE]?: WaitingRequest[];
}

interface WaitingRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

type Serve = (req: IncomingMessage, res: ServerResponse) => void;

/**
 * Serves pipelined requests one at a time: each waits until the kernel has taken the whole response
 * before it. Node parses all requests in a packet at once, so a client that never reads could make
 * us produce hundreds of responses. We stop reading from a connection with waiting requests and
 * close one that has pipelined far too many; HTTP lets the client retry the rest (RFC 9112, 9.3.2).
 */
export class ConnectionQueue {
  readonly #serve: Serve;
  #waiting = 0;

  constructor(serve: Serve) {
    this.#serve = serve;
  }

  /** Serves a request now or queues it. */
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

  /** Opens a queue behind the response in progress. */
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
        // The rest of this request may still have to arrive.
        socket.resume();
      }
      this.#serve(next.req, next.res);
    };
    socket[QUEUE] = queue;
    socket.once('close', drop);
    socket.pause();
    // Node resumes the socket itself on drain.
    socket.on('resume', pauseAgain);
    socket[LATEST]?.once('close', serveNext);
    return queue;
  }
}

function pauseAgain(this: Socket): void {
  this.pause();
}

/** Whether a response is still pending on the connection; writing now would corrupt it. */
export function isAnswering(socket: Socket): boolean {
  const { [LATEST]: latest, [QUEUE]: queue }: PipelinedSocket = socket;
  return (latest !== undefined && !latest.writableFinished) || queue !== undefined;
}
