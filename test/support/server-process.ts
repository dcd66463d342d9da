import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { patienceMs } from './patience.ts';

/**
 * The environment of a program that isn't ours. Where a library moves the clock (see .ci/moved-clock), it does so
 * for ours alone: with it, Redis waits forever for its own allocator.
 */
export function systemEnv(): NodeJS.ProcessEnv {
  const { LD_PRELOAD: _, ...env } = process.env;
  return env;
}

/** A third-party server as a process for one test. */
export class ServerProcess {
  readonly #program: string;
  readonly #args: readonly string[];
  readonly #options: SpawnOptions;
  #child: ChildProcess | undefined;

  constructor(program: string, args: readonly string[], options: SpawnOptions = {}) {
    this.#program = program;
    this.#args = args;
    this.#options = { stdio: 'ignore', env: systemEnv(), ...options };
  }

  /** Starts it, and waits until it responds. */
  async start(answers: () => Promise<boolean>): Promise<void> {
    const child = spawn(this.#program, this.#args, this.#options);
    this.#child = child;
    // Whatever becomes of the tests, no server outlives them.
    process.once('exit', () => child.kill('SIGKILL'));
    const until = performance.now() + patienceMs();
    for (; !(await answers()); await sleep(20)) {
      if (child.exitCode !== null || performance.now() > until) {
        throw new Error(`${this.#program} did not start`);
      }
    }
  }

  tell(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** Tells it to end, and waits until it has. */
  async end(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }

  /** kill -9, if it runs. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}
