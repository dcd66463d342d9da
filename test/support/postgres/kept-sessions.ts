import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** https://www.postgresql.org/docs/current/protocol-message-formats.html */
const TERMINATE = 'X';
const READY = 'Z';
const COMPLETE = 'C';
const FAILED = 'E';
const IDLE = 'I';

const DISCARD = query('DISCARD ALL');

/**
 * Stands before a server and keeps the sessions that clients leave, each for the next client that introduces itself
 * alike: starting a process for each connection takes longer than most tests of a store. In between a session
 * forgets all, as behind a pooler in session mode.
 */
export class KeptSessions {
  readonly #serverPort: number;
  readonly #listener: Server;
  /** By what their clients said first. */
  readonly #idle = new Map<string, Session[]>();
  readonly #sockets = new Set<Socket>();
  #inUse = 0;

  private constructor(serverPort: number) {
    this.#serverPort = serverPort;
    this.#listener = createServer((client) => this.#meet(client));
  }

  /** @param port of the server, on this machine */
  static async before({ port }: { readonly port: number }): Promise<KeptSessions> {
    const kept = new KeptSessions(port);
    kept.#listener.listen(0, '127.0.0.1');
    await once(kept.#listener, 'listening');
    return kept;
  }

  /** The URL of one of the server's databases through here. */
  urlOf(url: string): string {
    const at = new URL(url);
    at.port = String((this.#listener.address() as AddressInfo).port);
    return at.href;
  }

  /** Sessions that a client has, or that haven't forgotten it yet. */
  get inUse(): number {
    return this.#inUse;
  }

  async close(): Promise<void> {
    const closed = once(this.#listener, 'close');
    this.#listener.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #meet(client: Socket): void {
    this.#hold(client);
    // Its first message, which has no type, comes in one piece.
    client.once('data', (hello: Buffer) => {
      const session = this.#idle.get(hello.toString('latin1'))?.pop() ?? this.#connect(hello);
      this.#inUse += 1;
      session.serve(client);
    });
  }

  #connect(hello: Buffer): Session {
    const server = connect(this.#serverPort, '127.0.0.1');
    this.#hold(server);
    const key = hello.toString('latin1');
    const session = new Session(server, (isFit) => {
      this.#inUse -= 1;
      if (isFit) this.#idle.set(key, [...(this.#idle.get(key) ?? []), session]);
    });
    server.once('close', () => {
      const others = this.#idle.get(key)?.filter((each) => each !== session);
      this.#idle.set(key, others ?? []);
    });
    server.write(hello);
    return session;
  }

  #hold(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.once('close', () => this.#sockets.delete(socket));
  }
}

class Session {
  readonly #server: Socket;
  readonly #left: (isFit: boolean) => void;
  readonly #answers = new Messages();
  /** What the server said first, up to being ready: each client expects it. */
  #greeting: Buffer[] = [];
  #isGreeted = false;
  #client: Socket | undefined;
  /** While it forgets: whether it has so far. */
  #forgets: { isDone: boolean } | undefined;

  /** @param left called when a client has left it, with whether another may have it */
  constructor(server: Socket, left: (isFit: boolean) => void) {
    this.#server = server;
    this.#left = left;
    server.on('data', (chunk: Buffer) => this.#answer(chunk));
    server.once('close', () => {
      const wasInUse = this.#client !== undefined || this.#forgets !== undefined;
      this.#client?.destroy();
      this.#client = undefined;
      this.#forgets = undefined;
      if (wasInUse) this.#left(false);
    });
  }

  serve(client: Socket): void {
    this.#client = client;
    if (this.#isGreeted) client.write(Buffer.concat(this.#greeting));
    const requests = new Messages();
    client.on('data', (chunk: Buffer) => {
      const messages = [...requests.add(chunk)];
      const isOver = messages.some((each) => typeOf(each) === TERMINATE);
      // In one piece, as they came: a query is five messages.
      const asked = messages.filter((each) => typeOf(each) !== TERMINATE);
      if (asked.length > 0 && this.#client === client) this.#server.write(Buffer.concat(asked));
      if (isOver) this.#leave(client);
    });
    client.once('close', () => {
      // Who leaves without a word may leave something undone behind.
      if (this.#client === client) this.#server.destroy();
    });
  }

  #leave(client: Socket): void {
    this.#client = undefined;
    this.#forgets = { isDone: false };
    client.end();
    this.#server.write(DISCARD);
  }

  #answer(chunk: Buffer): void {
    if (this.#isGreeted) this.#client?.write(chunk);
    for (const message of this.#answers.add(chunk)) {
      const type = typeOf(message);
      if (!this.#isGreeted) {
        this.#greeting.push(message);
        this.#client?.write(message);
        this.#isGreeted = type === READY;
      } else if (this.#forgets !== undefined) this.#forget(type, message);
    }
  }

  #forget(type: string, message: Buffer): void {
    const forgets = this.#forgets;
    if (forgets === undefined) return;
    if (type === FAILED) this.#server.destroy();
    else if (type === COMPLETE) forgets.isDone = message.includes('DISCARD ALL');
    else if (type === READY && forgets.isDone && message.at(5) === IDLE.charCodeAt(0)) {
      this.#forgets = undefined;
      this.#left(true);
    }
  }
}

/** Cuts a stream into messages: a letter for the type, and four bytes for the length of the rest. */
class Messages {
  #rest: Buffer = Buffer.alloc(0);

  *add(chunk: Buffer): Generator<Buffer> {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (this.#rest.length >= 5) {
      const length = 1 + this.#rest.readInt32BE(1);
      if (this.#rest.length < length) return;
      const message = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      yield message;
    }
  }
}

function typeOf(message: Buffer): string {
  return String.fromCharCode(message[0] ?? 0);
}

function query(text: string): Buffer {
  const body = Buffer.from(`${text}\0`);
  const head = Buffer.from('Q\0\0\0\0');
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}
