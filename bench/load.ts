import { fileURLToPath } from 'node:url';
import { CORES, canRun, finish, start } from './process.ts';

/** Load by wrk (https://github.com/wg/wrk), which costs less per request than a client in Node. */

export const missingWrk = canRun('wrk', ['-v']) ? undefined : 'wrk is missing: apt install wrk';

export interface LoadResult {
  readonly requestsPerSecond: number;
  /** Microseconds. */
  readonly median: number;
  readonly p99: number;
}

/** What is asked for. */
interface LoadTarget {
  /** What stands before the address. */
  readonly path: string;
  /** As if from so many clients behind a proxy; 0 for none. */
  readonly clients: number;
}

const SCRIPT = fileURLToPath(new URL('random-wallets.lua', import.meta.url));
const CONNECTIONS = 32;

/**
 * Requests random wallets for some seconds.
 * @param sample file with one address per line
 * @param target of the requests; by default `/v1/reputation`, from one client
 * @throws if any request failed or got an error, as such responses are cheap
 */
export async function load(
  port: number,
  sample: string,
  seconds: number,
  cwd: string,
  cores: string = CORES.load,
  { path, clients }: LoadTarget = { path: '/v1/reputation/', clients: 0 },
): Promise<LoadResult> {
  const child = start({
    program: 'wrk',
    args: [
      ...['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '--timeout', '5s', '-s', SCRIPT],
      ...[`http://127.0.0.1:${port}`, '--', sample, path, String(clients)],
    ],
    cores,
    cwd,
  });
  const output = await finish(child, seconds + 20, 'wrk');
  const json = /^RESULT (\{.*\})$/m.exec(output)?.[1];
  if (json === undefined) throw new Error(`wrk said nothing to count: ${output}`);
  const result: Record<string, number> = JSON.parse(json);
  const failed = ['connect', 'read', 'write', 'status', 'timeout'].filter((each) => result[each]);
  if (failed.length > 0 || !result.requests) {
    throw new Error(`the load met errors: ${json}`);
  }
  return {
    requestsPerSecond: (result.requests / result.microseconds!) * 1e6,
    median: result.p50!,
    p99: result.p99!,
  };
}
