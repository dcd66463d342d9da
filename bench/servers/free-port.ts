import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ephemeral ports, so that a server may stop and come back; above 10080, which browsers
 * block.
 */
const FIRST = 11_000;
const EACH = 650;
/** More than run at once: two with the same ports could take each other's server for their own. */
const WORKERS = 32;

/** Of this process; each process of a run has its own number. */
const worker = Number(process.env.VITEST_POOL_ID ?? process.pid) % WORKERS;
let tried = Math.floor(Math.random() * EACH);

/** A loopback port that's free now, and given to nobody else in these tests. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < EACH; tries += 1) {
    tried = (tried + 1) % EACH;
    const port = FIRST + worker * EACH + tried;
    if (await isFree(port)) return port;
  }
  throw new Error('no port is free');
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    const listening = once(server, 'listening');
    server.listen(port, '127.0.0.1');
    await listening;
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
