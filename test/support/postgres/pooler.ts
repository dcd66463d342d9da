import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../bench/servers/free-port.ts';
import { otherAccount } from '../../../bench/servers/postgres/binaries.ts';
import type { Cluster } from '../../../bench/servers/postgres/cluster.ts';
import { ServerProcess } from '../server-process.ts';

/** Why tests that need a pooler can't run here; undefined if they can. */
export const missingPooler =
  spawnSync('pgbouncer', ['--version']).status === 0
    ? undefined
    : 'pgbouncer is missing: apt install pgbouncer';

/** A real PgBouncer in front of a server. */
export interface Pooler {
  /** The URL of one of the server's databases through the pooler. */
  urlOf(url: string): string;
  /** kill -9: cuts every connection through it; `start` brings it back. */
  kill(): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
}

/**
 * @param mode how long a client keeps a server connection to itself
 * @param limit a setting about how many clients or connections there can be
 */
export async function startPooler(
  cluster: Cluster,
  mode: 'session' | 'transaction',
  limit = 'default_pool_size = 50',
): Promise<Pooler> {
  const folder = mkdtempSync(join(tmpdir(), 'fathom-pooler-'));
  chmodSync(folder, 0o755);
  const port = await freePort();
  const config = join(folder, 'pgbouncer.ini');
  writeFileSync(
    config,
    `[databases]
* = host=127.0.0.1 port=${cluster.port} user=fathom
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
${limit}
server_idle_timeout = 1
`,
  );
  // Like Postgres, it refuses to run as root.
  const server = new ServerProcess('pgbouncer', ['-q', config], otherAccount());
  const start = () => server.start(() => listens(port));
  await start();
  return {
    urlOf(url) {
      const at = new URL(url);
      at.port = String(port);
      return at.href;
    },
    kill: () => server.kill(),
    start,
    async remove() {
      await server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
