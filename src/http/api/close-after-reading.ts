import type { Socket } from 'node:net';
import { monotonicMs } from '#base';

/** How long a client may pause before we close its connection, and how long it may go on sending. */
const PAUSE = 1_000;
const MOST = 5_000;

/**
 * Closes an answered connection once the client has stopped sending: closing earlier would reset it, and the
 * response would be lost. Reads and discards the rest until then.
 */
export function closeAfterReading(socket: Socket): void {
  const until = monotonicMs() + MOST;
  let read = socket.bytesRead;
  const check = () => {
    if (socket.bytesRead === read || monotonicMs() >= until) socket.destroy();
    else wait();
  };
  let timer: NodeJS.Timeout;
  const wait = () => {
    read = socket.bytesRead;
    // If the process was held up, timers run before it reads what has arrived meanwhile; immediates after.
    timer = setTimeout(() => setImmediate(check), PAUSE);
  };
  socket.resume();
  socket.once('close', () => clearTimeout(timer));
  wait();
}
