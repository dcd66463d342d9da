import type { Server } from 'node:http';

/** How long requests in progress may take to finish. */
const DEADLINE = 8_000;

/** How often we close connections that have become idle. */
const SWEEP = 50;

/**
 * Stops a server without cutting responses off: accepts no new connections, closes idle ones, and
 * closes whatever is left at the deadline. The caller makes responses end their connection by
 * setting `draining`.
 * @param goneMs of the time to the deadline, what has already passed
 */
export function drain(server: Server, goneMs = 0): Promise<void> {
  return new Promise((resolve) => {
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP);
    const deadline = setTimeout(() => server.closeAllConnections(), DEADLINE - goneMs);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(deadline);
      resolve();
    });
    server.closeIdleConnections();
  });
}
