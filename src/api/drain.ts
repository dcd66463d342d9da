import type { Server } from 'node:http';

/** Requests under way have this long to end. */
const DEADLINE = 8_000;

/** How often connections that fell idle are looked for. */
const SWEEP = 50;

/**
 * Stops a server without cutting answers off: no new connections, answers from now on end theirs
 * (that is the caller's part, through `draining`), idle ones are closed as they fall idle, and what
 * is left at the deadline is cut.
 */
export function drain(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP);
    const deadline = setTimeout(() => server.closeAllConnections(), DEADLINE);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(deadline);
      resolve();
    });
    server.closeIdleConnections();
  });
}
