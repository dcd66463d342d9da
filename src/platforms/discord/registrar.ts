import { type Logger, ProblemLog } from '#base';
import { sleep } from '#base/waiting';
import type { Command } from '#commands/answering';
import { errorFields } from './error-fields.ts';
import { type Fault, faultOf } from './gateway/faults.ts';
import { type Timings, waitAfter } from './gateway/timings.ts';
import { registerCommands } from './register.ts';
import type { RestConnection } from './rest-connection.ts';

/** Registers our commands once per process, retrying until it succeeds. */
export class Registrar {
  readonly #commands: readonly Command[];
  readonly #timings: Timings;
  readonly #log: Logger;
  readonly #stopping = new AbortController();
  readonly #trouble: ProblemLog;
  #connection: RestConnection | undefined;
  #running: Promise<void> | undefined;
  #done = false;
  #fault: Fault | undefined;

  constructor(commands: readonly Command[], timings: Timings, log: Logger) {
    this.#commands = commands;
    this.#timings = timings;
    this.#log = log;
    this.#trouble = new ProblemLog(log);
  }

  /** Why the commands aren't registered, if they should be by now. */
  get fault(): Fault | undefined {
    return this.#fault;
  }

  /** Call when a connection is up; it's used until the next one is. */
  start(connection: RestConnection): void {
    this.#connection = connection;
    if (this.#done || this.#running !== undefined) return;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Runs until done or disconnected; the next connection restarts it. */
  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    for (let failures = 1; !signal.aborted; failures++) {
      const connection = this.#connection;
      if (connection === undefined || !connection.up) return;
      try {
        const { rest, applicationId } = connection;
        const written = await registerCommands(rest, applicationId, this.#commands, signal);
        this.#done = true;
        this.#fault = undefined;
        const known = written ? 'now' : 'already';
        this.#log.info({ commands: this.#commands.length }, `Discord ${known} has our commands`);
        return;
      } catch (error) {
        // A client that signs off drops its requests; that isn't their fault.
        if (signal.aborted || !connection.up) return;
        const fault = faultOf(error);
        this.#report(fault, error);
        if (fault.kind === 'token') return connection.fail(fault);
        await sleep(waitAfter(failures, fault.wait, this.#timings), signal);
      }
    }
  }

  #report(fault: Fault, error: unknown): void {
    this.#fault = fault;
    const message = `Could not register commands; retrying. ${fault.detail}`;
    this.#trouble.report(fault.kind, 'warn', errorFields(error), message);
  }
}
