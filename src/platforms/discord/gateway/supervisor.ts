import type { Logger } from '#base';
import { sleep } from '#base/waiting';
import { ConnectionHealth } from './connection-health.ts';
import { FaultLog } from './fault-log.ts';
import type { Fault } from './faults.ts';
import type { Timings } from './timings.ts';

/** One connection, with or without the gateway; ends for good with the reason. */
interface Supervised {
  /** Resolves when it can't continue. */
  readonly ended: Promise<Fault>;
  close(): Promise<void>;
}

export interface SupervisorOptions<C extends Supervised> {
  /** Starts connecting. `onUp` is called when it comes up or goes away. */
  readonly connect: (onUp: (up: boolean) => void) => C;
  readonly timings: Timings;
  readonly log: Logger;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
  /** Called with each connection when it comes up. */
  readonly onUp: (connection: C) => void;
  readonly onDown: () => void;
  readonly onFault: (fault: Fault) => void;
}

/** Keeps one connection, and replaces it when it ends, with exponential backoff. */
export class Supervisor<C extends Supervised> {
  readonly #options: SupervisorOptions<C>;
  readonly #health: ConnectionHealth;
  readonly #stopping = new AbortController();
  readonly #finished: Promise<void>;

  constructor(options: SupervisorOptions<C>) {
    this.#options = options;
    this.#health = new ConnectionHealth({
      ...options,
      faultLog: new FaultLog(options.log),
    });
    this.#finished = this.#run();
  }

  /** Whether events arrive, and if not, why. */
  status(): { ok: boolean; detail: string } {
    return this.#health.status;
  }

  /** Signs off for good. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#finished;
    this.#health.note('stopped');
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const stopped = new Promise<undefined>((resolve) => {
      signal.addEventListener('abort', () => resolve(undefined), { once: true });
    });
    while (!signal.aborted) {
      this.#health.begin();
      const connection: C = this.#options.connect((up) => this.#turn(up, connection));
      const fault = await Promise.race([connection.ended, stopped]);
      await connection.close();
      if (fault === undefined) return;
      await sleep(this.#health.failed(fault), signal);
    }
  }

  #turn(up: boolean, connection: C): void {
    if (up) {
      this.#health.up();
      this.#options.onUp(connection);
    } else this.#health.down();
  }
}
