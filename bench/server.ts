import { once } from 'node:events';
import { get } from 'node:http';
import { fileURLToPath } from 'node:url';
import { type Child, CORES, freePort, lastWords, pause, start, stop } from './process.ts';

/** A server being measured, Fathom or a peer. */
export interface Running {
  readonly child: Child;
  readonly port: number;
  /** From the start of the process to the first "ready". */
  readonly secondsToReady: number;
  stop(): Promise<void>;
}

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Node's arguments for the command line, as in package.json's scripts. */
export const CLI = ['--import', file('../src/app/compile-cache.js'), file('../src/cli/main.ts')];

/** Of the script `start` only. */
export const START = ['--max-semi-space-size=4', '--v8-pool-size=1'] as const;

/**
 * Serves a data file as `npm start` would, with a rate limit that no benchmark reaches.
 * @param options.env may name another database
 */
export async function serveFathom(
  file: string,
  cwd: string,
  options: {
    cores?: string;
    seconds?: number;
    env?: Record<string, string>;
    /** Node's, in place of those of `npm start`. */
    flags?: readonly string[];
  } = {},
): Promise<Running> {
  const env = {
    DATABASE_URL: `sqlite:${file}`,
    HOST: '127.0.0.1',
    METRICS_PORT: String(await freePort()),
    RATE_LIMIT_PUBLIC: '999999999',
    LOG_LEVEL: 'warn',
    ...options.env,
  };
  const { flags = START, ...rest } = options;
  return await serve([...flags, ...CLI, 'serve'], '/readyz', { cwd, ...rest, env });
}

/** Serves a script from the peers' folder. */
export async function servePeer(
  script: URL,
  cwd: string,
  env: Record<string, string>,
): Promise<Running> {
  return await serve([fileURLToPath(script)], '/', { cwd, env });
}

interface ServeOptions {
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly cores?: string;
  readonly seconds?: number;
}

async function serve(args: string[], path: string, options: ServeOptions): Promise<Running> {
  const port = await freePort();
  const began = performance.now();
  const child = start({
    program: process.execPath,
    args,
    cores: options.cores ?? CORES.server,
    cwd: options.cwd,
    env: { ...options.env, PORT: String(port) },
  });
  let ended = false;
  void child.ended.then(() => {
    ended = true;
  });
  const end = began + (options.seconds ?? 60) * 1000;
  while (!(await answers(port, path))) {
    if (ended) throw new Error(`the server ended at its start: ${lastWords(child)}`);
    if (performance.now() > end) {
      await stop(child);
      throw new Error(`the server was not ready in time: ${lastWords(child)}`);
    }
    await pause(5);
  }
  const secondsToReady = (performance.now() - began) / 1000;
  return { child, port, secondsToReady, stop: () => stop(child) };
}

/** Whether the path returns 200 now. */
async function answers(port: number, path: string): Promise<boolean> {
  try {
    const request = get({ port, path, host: '127.0.0.1', agent: false, timeout: 5000 });
    request.once('timeout', () => request.destroy(new Error('no answer in 5 s')));
    const [response] = await once(request, 'response');
    response.resume();
    return response.statusCode === 200;
  } catch {
    return false;
  }
}
