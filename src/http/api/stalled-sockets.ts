import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** How often we check connections, in milliseconds. */
const SWEEP = 10_000;

/**
 * We close a connection after this many checks without progress. A response is one write and partial
 * progress isn't visible, so this is also how long a client may take to read a whole response: a
 * minute, for 100 KB at most.
 */
const PATIENCE = 6;

interface Seen {
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
