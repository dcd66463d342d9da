import type { Logger } from '#core/logger';
import { sleep } from '#runtime/sleep';
import { Complaints } from './complaints.ts';
import type { Fault } from './faults.ts';
import { type Timings, waitAfter } from './timings.ts';

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
  readonly #complaints: Complaints;
  readonly #stopping = new AbortController();
  readonly #finished: Promise<void>;
  #upSince: number | undefined;
  #heldFor = 0;
  #detail = 'connecting';

  constructor(options: SupervisorOptions<C>) {
    this.#options = options;
    this.#complaints = new Complaints(options.log);
    this.#finished = this.#run();
  }

  /** Whether events arrive, and if not, why. */
  status(): { ok: boolean; detail: string } {
    return { ok: this.#upSince !== undefined, detail: this.#detail };
  }

  /** Signs off for good. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#finished;
    this.#detail = 'stopped';
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const stopped = new Promise<undefined>((resolve) => {
      signal.addEventListener('abort', () => resolve(undefined), { once: true });
    });
    let failures = 0;
    while (!signal.aborted) {
      this.#heldFor = 0;
      const connection: C = this.#options.connect((up) => this.#turn(up, connection));
      const fault = await Promise.race([connection.ended, stopped]);
      await connection.close();
      if (fault === undefined) return;
      failures = this.#heldFor >= this.#options.timings.sound ? 1 : failures + 1;
      const { timings } = this.#options;
      const wait = waitAfter(failures, fault.wait * timings.patience, timings);
      this.#detail = fault.detail;
      this.#complaints.report(fault, wait);
      this.#options.onFault(fault);
      await sleep(wait, signal);
    }
  }

  #turn(up: boolean, connection: C): void {
    const now = this.#options.clock();
    if (up) {
      this.#upSince = now;
      this.#detail = 'connected';
      this.#complaints.mended();
      this.#options.onUp(connection);
    } else if (this.#upSince !== undefined) {
      this.#heldFor = now - this.#upSince;
      this.#upSince = undefined;
      this.#detail = 'the connection was lost; reconnecting';
      this.#options.onDown();
    }
  }
}
