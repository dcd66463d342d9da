import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Most bytes of unread responses, per client and in total. */
export interface UnreadLimits {
  readonly client: number;
  readonly all: number;
}

const LIMITS: UnreadLimits = { client: 4 * 1024 * 1024, all: 64 * 1024 * 1024 };

interface Client {
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
  readonly #clients = new Map<string, Client>();
  /** Bytes by connection, longest unread first. */
  readonly #sockets = new Map<Socket, number>();
  #bytes = 0;

  constructor(limits: UnreadLimits = LIMITS) {
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
