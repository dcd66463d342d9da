import { type Logger, ProblemLog } from '#base';
import { sleep } from '#base/waiting';
import { errorFields } from '#platforms/discord/logging';
import { describeFault, type Fault, type FaultKind } from './faults.ts';
import { type Timings, waitAfter } from './timings.ts';

/** One connection, with or without the gateway; ends for good with the reason. */
interface Supervised {
  /** Resolves when it can't continue. */
  readonly ended: Promise<Fault>;
  close(): Promise<void>;
}

interface SupervisorOptions<C extends Supervised> {
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

interface ConnectionHealthOptions {
  readonly faultLog: FaultLog;
  readonly timings: Timings;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
  readonly onDown: () => void;
  readonly onFault: (fault: Fault) => void;
}

/** Whether a connection works, and how long to wait before the next one after it failed. */
export class ConnectionHealth {
  readonly #options: ConnectionHealthOptions;
  #upSince: number | undefined;
  /** Milliseconds that the current connection was up. */
  #heldFor = 0;
  #failures = 0;
  #detail = 'connecting';

  constructor(options: ConnectionHealthOptions) {
    this.#options = options;
  }

  /** Whether it's up, and if not, why. */
  get status(): { ok: boolean; detail: string } {
    return { ok: this.#upSince !== undefined, detail: this.#detail };
  }

  /** A new connection begins. */
  begin(): void {
    this.#heldFor = 0;
  }

  up(): void {
    this.#upSince = this.#options.clock();
    this.#detail = 'connected';
    this.#options.faultLog.mended();
  }

  down(): void {
    if (this.#upSince === undefined) return;
    this.#heldFor = this.#options.clock() - this.#upSince;
    this.#upSince = undefined;
    this.#detail = 'the connection was lost; reconnecting';
    this.#options.onDown();
  }

  /**
   * The connection has ended for good.
   * @returns milliseconds to wait before the next, growing with each failure in a row
   */
  failed(fault: Fault): number {
    const { timings, faultLog, onFault } = this.#options;
    this.#failures = this.#heldFor >= timings.sound ? 1 : this.#failures + 1;
    const wait = waitAfter(this.#failures, fault.wait * timings.patience, timings);
    this.#detail = describeFault(fault);
    faultLog.report(fault, wait);
    onFault(fault);
    return wait;
  }

  /** Replaces the detail while nothing is connected. */
  note(detail: string): void {
    this.#detail = detail;
  }
}

const MENDS_ITSELF: readonly FaultKind[] = ['network', 'trouble', 'limited', 'sharding'];

/** Logs gateway faults, each once however often it's retried. */
export class FaultLog {
  readonly #trouble: ProblemLog;

  constructor(log: Logger) {
    this.#trouble = new ProblemLog(log);
  }

  /** @param wait milliseconds until the next attempt */
  report(fault: Fault, wait: number): void {
    const { kind, cause } = fault;
    const fields = {
      nextTrySeconds: Math.ceil(wait / 1000),
      ...(cause !== undefined && errorFields(cause)),
    };
    const level = MENDS_ITSELF.includes(kind) ? 'warn' : 'error';
    this.#trouble.report(kind, level, fields, describeFault(fault));
  }

  mended(): void {
    this.#trouble.resolve('Discord is connected again');
  }
}
