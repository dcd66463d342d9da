import { connect, type Socket } from 'node:net';

/** Milliseconds. */
const PATIENCE = 20_000;
const AT_ONCE = 64 * 1024;

/**
 * A keep-alive connection that sends one request at a time. Hand-written, because a full HTTP
 * client's own time would hide differences between responses. It reads into the same memory again
 * and again: collecting garbage would take milliseconds, which the server would be charged with.
 */
export class Client {
  readonly #socket: Socket;
  /** What has come of a response, in the first `#length` bytes. */
  #held = Buffer.allocUnsafe(AT_ONCE);
  #length = 0;
  #waiting: { resolve(answer: Answer): void; reject(error: Error): void } | undefined;
  #timer: NodeJS.Timeout;
  #asked = 0;

  /** @param from our address: the service tells clients by it */
  constructor(port: number, from = '127.0.0.1') {
    const onread = {
      buffer: Buffer.allocUnsafe(AT_ONCE),
      callback: (length: number, data: Uint8Array) => {
        this.#keep(data.subarray(0, length));
        return true;
      },
    };
    this.#socket = connect({ port, host: '127.0.0.1', localAddress: from, noDelay: true, onread });
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error('the server closed the connection')));
    // One timer for all requests: one for each would cost more than some responses.
    this.#timer = setInterval(() => {
      if (this.#waiting !== undefined && performance.now() - this.#asked > PATIENCE) {
        const held = this.#held.toString('latin1', 0, Math.min(this.#length, 2000));
        this.#fail(new Error(`no whole answer in ${PATIENCE / 1000} s, but: ${held || 'nothing'}`));
      }
    }, 1000).unref();
  }

  ask(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    this.#asked = performance.now();
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) throw new Error('the connection is closed');
      this.#waiting = { resolve, reject };
      this.#socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${more.join('')}\r\n`);
    });
  }

  close(): void {
    clearInterval(this.#timer);
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  #keep(data: Uint8Array): void {
    const length = this.#length + data.length;
    if (length > this.#held.length) {
      const held = Buffer.allocUnsafe(2 * length);
      this.#held.copy(held, 0, 0, this.#length);
      this.#held = held;
    }
    this.#held.set(data, this.#length);
    this.#length = length;
    this.#take(this.#held.subarray(0, length));
  }

  #take(held: Buffer): void {
    const head = held.indexOf('\r\n\r\n');
    if (head < 0) return;
    const headers = held.toString('latin1', 0, head);
    const length = /\r\ncontent-length: *(\d+)/i.exec(headers)?.[1];
    if (length === undefined) {
      this.#fail(new Error(`an answer without content-length can't be timed: ${headers}`));
      return;
    }
    const end = head + 4 + Number(length);
    if (held.length < end) return;
    const micros = (performance.now() - this.#asked) * 1000;
    const body = held.subarray(head + 4, end);
    this.#length = 0;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve({ status: Number(headers.slice(9, 12)), body, micros });
  }

  #fail(error: Error): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#socket.destroy();
    waiting?.reject(error);
  }
}

export interface Answer {
  readonly status: number;
  /** Until the client's next request. */
  readonly body: Buffer;
  /** From sending to the last byte. */
  readonly micros: number;
}
