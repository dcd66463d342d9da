import type { Socket } from 'node:net';
import { clientName } from '#http/api/admission/client-address';

/** How long requests may keep one turn of the event loop, before the rest wait. */
const SLICE_MS = 5;
/** How often we look whether the event loop has turned: an immediate for each request would cost too much. */
const LOOK_MS = 1;

/**
 * Bounds how long requests keep the event loop in one turn. Answers from memory are synchronous, so without this, a
 * client that sends a thousand at once, on one connection or on many, holds everybody else up until its last. What
 * has no time left in its turn waits for one of its own: one request goes on per turn, and clients alternate.
 */
export class TimeSlices {
  readonly #waiting = new Map<string, (() => void)[]>();
  #begun = -LOOK_MS;
  /** Whether the slice lasts until the event loop turns. */
  #isOpen = false;

  /** Whether a request may be answered now. @param now of `performance.now()` */
  hasTime(now: number): boolean {
    if (this.#isOpen) return now - this.#begun < SLICE_MS;
    if (now - this.#begun >= LOOK_MS) this.#open(now);
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
    const [first] = this.#waiting;
    if (first === undefined) return;
    const [client, waiting] = first;
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
