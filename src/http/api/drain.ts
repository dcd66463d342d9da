import type { Server } from 'node:http';
import { Server as Listener } from 'node:net';

/** How long requests in progress may take to finish. */
const DEADLINE = 8_000;

/** How long connections may be idle: a request may be under way, also on one that has only just been taken. */
const GRACE = 100;

/** How often we then close connections that have become idle. */
const SWEEP = 50;

/**
 * Stops a server without cutting responses off: accepts no new connections, closes idle ones, and
 * closes whatever is left at the deadline. The caller makes responses end their connection by
 * setting `draining`.
 * @param goneMs of the time to the deadline, what has already passed
 */
export function drain(server: Server, goneMs = 0): Promise<void> {
  return new Promise((resolve) => {
    let sweep: NodeJS.Timeout | undefined;
    const grace = setTimeout(() => {
      server.closeIdleConnections();
      sweep = setInterval(() => server.closeIdleConnections(), SWEEP);
    }, GRACE);
    const deadline = setTimeout(() => server.closeAllConnections(), DEADLINE - goneMs);
    // That of an HTTP server closes idle connections at once.
    Listener.prototype.close.call(server, () => {
      clearTimeout(grace);
      clearInterval(sweep);
      clearTimeout(deadline);
      resolve();
    });
  });
}
