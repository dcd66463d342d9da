import { connect, createServer, type Socket } from 'node:net';
import { freePort } from '../../bench/servers/free-port.ts';

/** A stand-in for a database's address that leads to one server and later to another. */
export interface TcpProxy {
  readonly port: number;
  /** Routes new connections to another port, and ends the current ones. */
  leadTo(port: number): void;
  /** The next connection that sends this text is cut right after it, so no response comes back. */
  cutBehind(text: string): void;
  /** Requests arrive, but no response comes back until it's released. */
  holdAnswers(): void;
  letAnswersGo(): void;
  /** Forwards nothing until `gate`, which gets the text, has ended. */
  onSend(gate: (text: string) => Promise<void>): void;
  close(): Promise<void>;
}

/** @param own its port; any free one by default */
export async function startTcpProxy(target: number, own?: number): Promise<TcpProxy> {
  const port = own ?? (await freePort());
  const sockets = new Set<Socket>();
  let to = target;
  let cut: string | undefined;
  let isHolding = false;
  const servers = new Set<Socket>();
  let gate: ((text: string) => Promise<void>) | undefined;
  const server = createServer((socket) => {
    const behind = connect(to, '127.0.0.1');
    for (const [one, other] of [
      [socket, behind],
      [behind, socket],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        sockets.delete(one);
        // What it has sent still arrives.
        other.destroySoon();
      });
    }
    behind.pipe(socket);
    servers.add(behind);
    behind.on('close', () => servers.delete(behind));
    if (isHolding) behind.pause();
    socket.on('end', () => behind.end());
    let sent = Promise.resolve();
    socket.on('data', (chunk: Buffer) => {
      if (gate === undefined) behind.write(chunk);
      else {
        const passed = gate;
        sent = sent
          .then(() => passed(chunk.toString('latin1')))
          .then(() => void behind.write(chunk));
      }
      if (cut === undefined || !chunk.includes(cut)) return;
      cut = undefined;
      behind.unpipe(socket);
      socket.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  function endAll(): void {
    for (const socket of sockets) socket.destroy();
  }
  return {
    port,
    leadTo(next) {
      to = next;
      endAll();
    },
    cutBehind(text) {
      cut = text;
    },
    holdAnswers() {
      isHolding = true;
      for (const each of servers) each.pause();
    },
    letAnswersGo() {
      isHolding = false;
      for (const each of servers) each.resume();
    },
    onSend(next) {
      gate = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        endAll();
      }),
  };
}
