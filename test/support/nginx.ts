import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../bench/servers/free-port.ts';
import { ServerProcess } from './server-process.ts';

const COMPOSE = fileURLToPath(new URL('../../compose.yaml', import.meta.url));

/** Why tests that need nginx can't run here; undefined if they can. */
export const missingNginx =
  spawnSync('nginx', ['-v']).status === 0 ? undefined : 'nginx is missing: apt install nginx-light';

/** A real nginx with the configuration of compose.yaml. */
export interface Nginx {
  readonly url: string;
  readonly port: number;
  /** What it has logged about failed servers, one line each. */
  faults(): readonly string[];
  /** `nginx -s reload`: new workers take over, and the old ones end soon. Needs `hasWorkers`. */
  reload(): void;
  remove(): Promise<void>;
}

/**
 * @param urls of the replicas that Docker's shared name stands for
 * @param options.hasWorkers whether requests are served by a process of their own, as usually; after a reload
 *   the one before cuts off what it still has after a second
 */
export async function startNginx(
  urls: readonly string[],
  { hasWorkers = false } = {},
): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'fathom-nginx-'));
  const port = await freePort();
  const log = join(folder, 'error.log');
  writeFileSync(log, '');
  const config = join(folder, 'nginx.conf');
  const content = onLoopback(composeConfig(), port, urls);
  writeFileSync(config, wholeConfig(folder, log, hasWorkers ? WORKERS : ALONE, content));
  const server = new ServerProcess('nginx', ['-p', folder, '-c', config, '-e', log]);
  await server.start(() => listens(port));
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    faults: () => readFileSync(log, 'utf8').split('\n').filter(Boolean),
    reload: () => server.tell('SIGHUP'),
    async remove() {
      // Killed, it would leave its workers.
      if (hasWorkers) await server.end();
      await server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The text under `configs: nginx: content:`, as Docker passes it to nginx. */
function composeConfig(): string {
  const [, text] = /^ {2}nginx:\n {4}content: \|\n((?:(?: {6}.*)?\n)+)/m.exec(
    readFileSync(COMPOSE, 'utf8'),
  ) ?? ['', undefined];
  if (text === undefined) throw new Error('compose.yaml has no configuration of nginx');
  return text.replaceAll('$$', '$');
}

/** One process, so that nothing is left when it is killed. */
const ALONE = 'master_process off;';
const WORKERS = 'worker_processes 1;\nworker_shutdown_timeout 1s;';

/** Replaces Docker's names by addresses, and nothing else. */
function onLoopback(config: string, port: number, urls: readonly string[]): string {
  const hosts = urls.map((url) => new URL(url).host);
  return config
    .replaceAll(/^ *resolver .*;\n/gm, '')
    .replaceAll(/^ *server fathom:8080 resolve(.*;)\n/gm, (_, rest: string) =>
      hosts.map((host) => `server ${host}${rest}\n`).join(''),
    )
    .replace('listen 8080;', `listen 127.0.0.1:${port};`);
}

function wholeConfig(folder: string, log: string, processes: string, content: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `daemon off;
${processes}
pid ${join(folder, 'nginx.pid')};
error_log ${log};
${process.getuid?.() === 0 ? 'user root;' : ''}
events {}
http {
access_log off;
${temporary.map((each) => `${each}_temp_path ${join(folder, each)};`).join('\n')}
${content}
}
`;
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
