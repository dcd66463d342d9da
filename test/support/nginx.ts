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
  remove(): Promise<void>;
}

/** @param urls of the replicas that Docker's shared name stands for */
export async function startNginx(urls: readonly string[]): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'fathom-nginx-'));
  const port = await freePort();
  const log = join(folder, 'error.log');
  writeFileSync(log, '');
  const config = join(folder, 'nginx.conf');
  writeFileSync(config, wholeConfig(folder, log, onLoopback(composeConfig(), port, urls)));
  const server = new ServerProcess('nginx', ['-p', folder, '-c', config, '-e', log]);
  await server.start(() => listens(port));
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    faults: () => readFileSync(log, 'utf8').split('\n').filter(Boolean),
    async remove() {
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

function wholeConfig(folder: string, log: string, content: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `daemon off;
# One process, so that nothing is left when it is killed.
master_process off;
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
