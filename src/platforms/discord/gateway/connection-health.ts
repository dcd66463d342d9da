import type { FaultLog } from './fault-log.ts';
import type { Fault } from './faults.ts';
import { type Timings, waitAfter } from './timings.ts';

export interface ConnectionHealthOptions {
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
    this.#detail = fault.detail;
    faultLog.report(fault, wait);
    onFault(fault);
    return wait;
  }

  /** Replaces the detail while nothing is connected. */
  note(detail: string): void {
    this.#detail = detail;
  }
}
