import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Connections are looked at this often, in milliseconds. */
const SWEEP = 10_000;

/**
 * This many looks at which nothing had moved end a connection. An answer is one write, and whether
 * a part of it is gone is not told, so this is also the time to take a whole answer: a minute, for
 * 100 KB at most.
 */
const PATIENCE = 6;

interface Seen {
  written: number;
  waiting: number;
  looks: number;
}

/**
 * Cuts connections whose client does not read what it asked for. Node's own idle timeout would do,
 * but it sets a timer anew at every read and write, which costs each request more than this costs
 * each connection.
 * @returns a function that ends the watch
 */
export function watchStalledSockets(server: Server, sweep = SWEEP): () => void {
  const sockets = new Map<Socket, Seen>();
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

function hasStalled(socket: Socket, seen: Seen): boolean {
  const { bytesWritten: written, writableLength: waiting } = socket;
  const stands = waiting > 0 && written === seen.written && waiting === seen.waiting;
  seen.looks = stands ? seen.looks + 1 : 0;
  seen.written = written;
  seen.waiting = waiting;
  return seen.looks >= PATIENCE;
}
