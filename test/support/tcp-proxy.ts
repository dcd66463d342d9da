import { connect, createServer, type Socket } from 'node:net';
import { freePort } from '../../bench/servers/free-port.ts';

/** A stand-in for the address of a database that leads now to one server and then to another. */
export interface TcpProxy {
  readonly port: number;
  /** Leads new connections to another port, and ends those that there are. */
  leadTo(port: number): void;
  /** Of the connection that next sends this text, nothing more comes back: it is cut off behind it. */
  cutBehind(text: string): void;
  /** Nothing comes back until it is let go; what is asked arrives. */
  holdAnswers(): void;
  letAnswersGo(): void;
  /** Nothing is sent on before `gate` has ended, which is told what is sent. */
  onSend(gate: (text: string) => Promise<void>): void;
  close(): Promise<void>;
}

/** @param own its port; any that is free if not given */
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
