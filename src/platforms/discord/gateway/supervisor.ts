import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '#core/logger';
import { describe } from '#platforms/discord/describe';
import { Connection, type ConnectionOptions } from './connection.ts';
import type { Fault, FaultKind } from './faults.ts';
import { backoff, type Timings } from './timings.ts';

export interface SupervisorOptions {
  readonly connection: Omit<ConnectionOptions, 'onUp'>;
  readonly timings: Timings;
  readonly log: Logger;
  readonly clock: () => number;
  /** Called with every connection that came up, whenever it did. */
  readonly onUp: (connection: Connection) => void;
  readonly onDown: () => void;
  readonly onFault: (fault: Fault) => void;
}

/** Keeps one connection, and builds another when it ends, after a wait that grows. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #stopping = new AbortController();
  readonly #finished: Promise<void>;
  #upSince: number | undefined;
  #heldFor = 0;
  /** What the log was told last, so that the same is not said on every try. */
  #said: FaultKind | undefined;
  #detail = 'connecting';

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#finished = this.#run();
  }

  /** Whether events arrive, and if not, why. */
  status(): { ok: boolean; detail: string } {
    return { ok: this.#upSince !== undefined, detail: this.#detail };
  }

  /** Signs off and never comes back. */
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
      const connection: Connection = new Connection({
        ...this.#options.connection,
        onUp: (up) => this.#turn(up, connection),
      });
      const fault = await Promise.race([connection.ended, stopped]);
      await connection.close();
      if (fault === undefined) return;
      failures = this.#heldFor >= this.#options.timings.sound ? 1 : failures + 1;
      const { timings } = this.#options;
      const wait = backoff(failures, fault.wait * timings.patience, timings);
      this.#report(fault, wait);
      await sleep(wait, undefined, { signal }).catch(() => {});
    }
  }

  #turn(up: boolean, connection: Connection): void {
    const now = this.#options.clock();
    if (up) {
      this.#upSince = now;
      this.#detail = 'connected';
      if (this.#said !== undefined) this.#options.log.info({}, 'Discord is connected again');
      this.#said = undefined;
      this.#options.onUp(connection);
    } else if (this.#upSince !== undefined) {
      this.#heldFor = now - this.#upSince;
      this.#upSince = undefined;
      this.#detail = 'the connection was lost and is being taken up again';
      this.#options.onDown();
    }
  }

  #report(fault: Fault, wait: number): void {
    const { log, onFault } = this.#options;
    const seconds = Math.ceil(wait / 1000);
    this.#detail = fault.detail;
    onFault(fault);
    const fields = {
      nextTrySeconds: seconds,
      ...(fault.cause !== undefined && describe(fault.cause)),
    };
    const saidBefore = fault.kind === this.#said;
    this.#said = fault.kind;
    const mendsItself = ['network', 'trouble', 'limited'].includes(fault.kind);
    log[saidBefore ? 'debug' : mendsItself ? 'warn' : 'error'](fields, fault.detail);
  }
}
