import type { Socket } from 'node:net';
import { clientName } from '#http/api/admission/client-address';

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
    for (const [other, its] of this.#clients) {
      // One with waiting requests is paused until they are answered.
      if (its !== client || other.isPaused()) continue;
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
