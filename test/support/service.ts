import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { vi } from 'vitest';
import { patienceMs } from './patience.ts';
import { NO_ENV_FILE, ownProgram, PROGRAM, ROOT, SAME_CLOCK, SAME_PRIORITY } from './program.ts';

/** Node's additional arguments in the `start` script. */
export const START = ['--max-semi-space-size=4', '--v8-pool-size=1'];

/** A start without the demo data takes half as long; for tests of something else. */
export const NO_DATA = { DATABASE_URL: 'sqlite::memory:' };

/** The service as a separate process, as an operator runs it. */
export interface Service {
  readonly child: ChildProcess;
  readonly url: string;
  /** Everything it has printed so far. */
  output(): string;
  /** Sends SIGTERM and waits for the end. @returns the exit code */
  stop(): Promise<number | null>;
}

/**
 * Starts `fathom serve` on free ports and waits until it logs where it listens.
 * @param env added to an otherwise empty environment
 * @param nodeArguments for Node itself, before the program; without any, its threads give way to others
 * @param program joined into few files, or as it is shipped
 */
export function startService(
  env: Record<string, string> = {},
  nodeArguments: readonly string[] = SAME_PRIORITY,
  program = PROGRAM,
): Promise<Service> {
  return startNode([...nodeArguments, ...program, 'serve'], env);
}

/** The same for a test's own program, which starts the service with other parts. */
export function startProgram(
  program: Parameters<typeof ownProgram>[0],
  env: Record<string, string> = {},
): Promise<Service> {
  return startNode([...SAME_PRIORITY, ownProgram(program)], env);
}

async function startNode(words: readonly string[], env: Record<string, string>): Promise<Service> {
  const child = spawn(process.execPath, [...START, ...words], {
    cwd: ROOT,
    env: {
      ...SAME_CLOCK,
      PATH: process.env.PATH,
      PORT: '0',
      METRICS_PORT: '0',
      ...NO_ENV_FILE,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    const take = (chunk: Buffer) => {
      output += chunk.toString();
      const found = /answers at (http:\/\/\S+?)\/v1/.exec(output);
      if (found?.[1] !== undefined) resolve(found[1]);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${output}`)));
  });
  return {
    child,
    url,
    output: () => output,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      child.kill('SIGTERM');
      await once(child, 'exit');
      return child.exitCode;
    },
  };
}

/** Waits until the data and both chats are up. */
export async function chatsUp({ url }: Pick<Service, 'url'>): Promise<void> {
  await vi.waitFor(
    async () => {
      const text = await (await fetch(`${url}/readyz`)).text();
      const { checks } = JSON.parse(text);
      const isUp = ['data', 'discord', 'telegram'].every((name) => checks?.[name]?.ok === true);
      if (!isUp) throw new Error(`not up yet: ${text}`);
    },
    { timeout: patienceMs(), interval: 50 },
  );
}
