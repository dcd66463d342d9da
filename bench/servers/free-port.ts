import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below those that the system gives to whoever asks for any, so that a server may stop and come back;
 * above 10080, which browsers refuse.
 */
const FIRST = 11_000;
const EACH = 2_000;
const WORKERS = 10;

/** Of this process; processes of one run have numbers of their own. */
const worker = Number(process.env.VITEST_POOL_ID ?? process.pid) % WORKERS;
let tried = Math.floor(Math.random() * EACH);

/** A port of loopback that nobody listens on now, and that nobody else of these tests is given. */
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
