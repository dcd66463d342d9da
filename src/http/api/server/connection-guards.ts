import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { monotonicMs } from '#base';
import { clientName } from '#http/api/admission/client-address';

/** How long requests may keep one turn of the event loop, before the rest wait. */
const SLICE_MS = 5;
/** How often we look whether the event loop has turned: an immediate for each request would cost too much. */
const TURN_MS = 1;

/**
 * Bounds how long requests keep the event loop in one turn. Answers from memory are synchronous, so without this, a
 * client that sends a thousand at once, on one connection or on many, holds everybody else up until its last. What
 * has no time left in its turn waits for one of its own: one request goes on per turn, and clients alternate. Whoever
 * has just had a turn comes after those who arrived during it: a client that asks for little waits for one costly
 * request of another, not for two.
 */
export class TimeSlices {
  readonly #waiting = new Map<string, (() => void)[]>();
  #begun = -TURN_MS;
  /** The client that had the last turn. */
  #last: string | undefined;
  /** Whether the slice lasts until the event loop turns. */
  #isOpen = false;

  /** Whether a request may be answered now. @param now of `performance.now()` */
  hasTime(now: number): boolean {
    if (this.#isOpen) return now - this.#begun < SLICE_MS;
    if (now - this.#begun >= TURN_MS) this.#open(now);
    return true;
  }

  /** Calls `work` in a turn to come. */
  wait(client: string, work: () => void): void {
    const waiting = this.#waiting.get(client);
    if (waiting === undefined) this.#waiting.set(client, [work]);
    else waiting.push(work);
    if (!this.#isOpen) this.#open(performance.now());
  }

  #open(now: number): void {
    this.#isOpen = true;
    this.#begun = now;
    setImmediate(() => {
      this.#isOpen = false;
      this.#goOn();
    });
  }

  #goOn(): void {
    const [first, second] = this.#waiting;
    if (first === undefined) return;
    const [client, waiting] = first[0] === this.#last ? (second ?? first) : first;
    this.#last = client;
    // What it takes counts for this turn.
    this.#open(performance.now());
    this.#waiting.delete(client);
    const work = waiting.shift();
    if (waiting.length > 0) this.#waiting.set(client, waiting);
    work?.();
  }
}

/** How many requests of a client may begin to wait in one turn of the event loop before its connections are read in the next. */
const MOST_IN_A_TURN = 200;

/**
 * Bounds how many pipelined requests of a client are parsed in one turn of the event loop. Node hands out all that
 * has arrived on a connection, up to 64 KB, at once, and in one turn all connections on which something has arrived:
 * with twenty of them, tens of thousands of requests before anybody else's turn. So once one of a client's
 * connections has brought many, we read its others in turns to come, one after the other.
 */
export class ReadingTurns {
  /** All connections; of a client, those that brought many requests last are the last to be read again. */
  readonly #clients = new Map<Socket, string>();
  /** Requests that began to wait in this turn. */
  readonly #counts = new Map<string, number>();
  #paused: Socket[] = [];

  /** Call it for each new connection. */
  watch(socket: Socket): void {
    this.#clients.set(socket, clientName(socket.remoteAddress ?? ''));
    socket.once('close', () => this.#clients.delete(socket));
  }

  /** Call it for each request that has to wait for another on its connection. */
  note(socket: Socket): void {
    const client = this.#clients.get(socket);
    if (client === undefined) return;
    if (this.#counts.size === 0) setImmediate(() => this.#endTurn());
    const count = (this.#counts.get(client) ?? 0) + 1;
    this.#counts.set(client, count);
    if (count === MOST_IN_A_TURN) this.#pauseOthers(socket, client);
  }

  #pauseOthers(socket: Socket, client: string): void {
    this.#clients.delete(socket);
    for (const [other, owner] of this.#clients) {
      // One with waiting requests is paused until they are answered.
      if (owner !== client || other.isPaused()) continue;
      other.pause();
      this.#paused.push(other);
    }
    this.#clients.set(socket, client);
  }

  #endTurn(): void {
    this.#counts.clear();
    const paused = this.#paused;
    this.#paused = [];
    for (const socket of paused) socket.resume();
  }
}

/** Most requests that may wait on one connection, and on all together; each takes about 4 KB. */
const MOST_ON_ONE = 1_000;
const MOST_ON_ALL = 10_000;
/** How many of a connection may follow each other before everybody else gets a turn: probes wait for none of their own. */
const IN_A_ROW = 50;

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
  readonly #turns: ReadingTurns;
  #waiting = 0;

  constructor(serve: Serve, turns: ReadingTurns) {
    this.#serve = serve;
    this.#turns = turns;
  }

  /** Serves a request now or queues it. */
  handle(req: IncomingMessage, res: ServerResponse): void {
    const socket: PipelinedSocket = req.socket;
    if (isAnswering(socket)) {
      // Also one that we drop costs others time.
      this.#turns.note(socket);
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
        next.res.once('close', queue.length % IN_A_ROW === 0 ? serveInTurn : serveNext);
      } else {
        delete socket[QUEUE];
        socket.off('close', drop);
        socket.off('resume', pauseAgain);
        // The rest of this request may still have to arrive.
        socket.resume();
      }
      this.#serve(next.req, next.res);
    };
    const serveInTurn = () => void setImmediate(serveNext);
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

/** Most bytes of unread responses, per client and in total. */
export interface UnreadLimits {
  readonly client: number;
  readonly all: number;
}

const UNREAD_LIMITS: UnreadLimits = { client: 4 * 1024 * 1024, all: 64 * 1024 * 1024 };

interface UnreadClient {
  bytes: number;
  /** Requests waiting for room, by connection. */
  readonly waiting: Map<Socket, () => void>;
}

/**
 * Bounds the memory held for clients that send requests and don't read. Each connection has one
 * response at a time (see `ConnectionQueue`); a client with many connections has to read some before
 * we serve its next request on any of them. If all clients together hold too much, we close the
 * connections that have been unread for longest.
 *
 * Bytes already in kernel buffers don't count: they aren't this process's memory.
 */
export class UnreadResponses {
  readonly #limits: UnreadLimits;
  readonly #clients = new Map<string, UnreadClient>();
  /** Bytes by connection, longest unread first. */
  readonly #sockets = new Map<Socket, number>();
  #bytes = 0;

  constructor(limits: UnreadLimits = UNREAD_LIMITS) {
    this.#limits = limits;
  }

  /** Whether any response is unread; if not, the hot path needn't identify the client. */
  get any(): boolean {
    return this.#bytes > 0;
  }

  /** Call it after ending a response that the kernel hasn't taken as a whole. */
  hold(client: string, res: ServerResponse, bytes: number): void {
    const { socket } = res.req;
    if (socket.destroyed) return;
    const known = this.#clients.get(client) ?? { bytes: 0, waiting: new Map() };
    this.#clients.set(client, known);
    known.bytes += bytes;
    this.#bytes += bytes;
    this.#sockets.set(socket, bytes);
    const release = () => {
      res.off('close', release);
      socket.off('close', release);
      known.bytes -= bytes;
      this.#bytes -= bytes;
      this.#sockets.delete(socket);
      this.#goOn(client, known);
    };
    res.once('close', release);
    // A response still queued behind another gets no `close` when its connection closes.
    socket.once('close', release);
    this.#cutOldest();
  }

  /** Calls `proceed` now or once the client has read enough; never if the client leaves first. */
  whenRead(client: string, socket: Socket, proceed: () => void): void {
    const known = this.#clients.get(client);
    if (known === undefined || known.bytes < this.#limits.client) {
      proceed();
      return;
    }
    const forget = () => void known.waiting.delete(socket);
    known.waiting.set(socket, () => {
      socket.off('close', forget);
      proceed();
    });
    socket.once('close', forget);
  }

  #goOn(client: string, known: UnreadClient): void {
    for (const [socket, proceed] of known.waiting) {
      if (known.bytes >= this.#limits.client) return;
      known.waiting.delete(socket);
      proceed();
    }
    if (known.bytes === 0 && known.waiting.size === 0) this.#clients.delete(client);
  }

  #cutOldest(): void {
    let left = this.#bytes;
    for (const [socket, bytes] of this.#sockets) {
      if (left <= this.#limits.all) return;
      left -= bytes;
      socket.destroy();
    }
  }
}

/** How often we check connections, in milliseconds. */
const STALL_SWEEP = 10_000;

/**
 * We close a connection after this many checks without progress. A response is one write and partial
 * progress isn't visible, so this is also how long a client may take to read a whole response: a
 * minute, for 100 KB at most.
 */
const STALLED_CHECKS = 6;

interface SeenSocket {
  written: number;
  waiting: number;
  looks: number;
}

/**
 * Closes connections whose client doesn't read its responses. Node's idle timeout would work too,
 * but it resets a timer on every read and write, which costs each request more than this costs each
 * connection.
 * @returns a function that stops watching
 */
export function watchStalledSockets(server: Server, sweep = STALL_SWEEP): () => void {
  const sockets = new Map<Socket, SeenSocket>();
  server.on('connection', (socket: Socket) => {
    sockets.set(socket, { written: 0, waiting: 0, looks: 0 });
    socket.once('close', () => sockets.delete(socket));
  });
  const timer = setInterval(() => {
    for (const [socket, seen] of sockets) {
      if (hasStalled(socket, seen)) socket.destroy();
    }
  }, sweep);
  timer.unref();
  return () => clearInterval(timer);
}

function hasStalled(socket: Socket, seen: SeenSocket): boolean {
  const { bytesWritten: written, writableLength: waiting } = socket;
  const stands = waiting > 0 && written === seen.written && waiting === seen.waiting;
  seen.looks = stands ? seen.looks + 1 : 0;
  seen.written = written;
  seen.waiting = waiting;
  return seen.looks >= STALLED_CHECKS;
}

/** How long a client may pause before we close its connection, and how long it may go on sending. */
const LINGER_PAUSE = 1_000;
const LINGER_MOST = 5_000;

/**
 * Closes an answered connection once the client has stopped sending: closing earlier would reset it, and the
 * response would be lost. Reads and discards the rest until then.
 * @param mostMs how long the client may go on sending
 */
export function closeAfterReading(socket: Socket, mostMs = LINGER_MOST): void {
  const until = monotonicMs() + mostMs;
  let read = socket.bytesRead;
  const check = () => {
    if (socket.bytesRead === read || monotonicMs() >= until) socket.destroy();
    else wait();
  };
  let timer: NodeJS.Timeout;
  const wait = () => {
    read = socket.bytesRead;
    // If the process was held up, timers run before it reads what has arrived meanwhile; immediates after.
    timer = setTimeout(() => setImmediate(check), LINGER_PAUSE);
  };
  socket.resume();
  socket.once('close', () => clearTimeout(timer));
  wait();
}
