import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Bytes of answers that were made for one client, and for all, and that nobody has taken yet. */
export interface UnreadLimits {
  readonly client: number;
  readonly all: number;
}

const LIMITS: UnreadLimits = { client: 4 * 1024 * 1024, all: 64 * 1024 * 1024 };

interface Client {
  bytes: number;
  /** What waits until there is room, by the connection on which it is to be answered. */
  readonly waiting: Map<Socket, () => void>;
}

/**
 * Bounds what is kept for those who ask and don't read. A connection has one answer at a time (see
 * `ConnectionQueue`); a client with many of them waits with its next request, whichever it comes on,
 * until it has read some. Where all together have too much, the connections that have not read for
 * the longest are cut.
 *
 * What the system has taken into its own buffers is not counted: it is not this process' memory.
 */
export class UnreadAnswers {
  readonly #limits: UnreadLimits;
  readonly #clients = new Map<string, Client>();
  /** Bytes by connection; those that have held some for the longest come first. */
  readonly #sockets = new Map<Socket, number>();
  #bytes = 0;

  constructor(limits: UnreadLimits = LIMITS) {
    this.#limits = limits;
  }

  /** Whether anybody has something to read; while not, nobody has to be told from another. */
  get any(): boolean {
    return this.#bytes > 0;
  }

  /** To be called with an answer that the system has not taken as a whole, when it is ended. */
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
    // An answer that was not its turn yet is not told that its connection has ended.
    socket.once('close', release);
    this.#cutOldest();
  }

  /** Does it at once, or when the client has read enough; not at all when it goes before that. */
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

  #goOn(client: string, known: Client): void {
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
