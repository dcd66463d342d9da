import { type Logger, ProblemLog } from '#base';
import type { Fault } from './faults.ts';

export interface Status {
  readonly ok: boolean;
  readonly detail: string;
}

/** Whether Telegram is available; logged once per change. */
export class Health {
  readonly #log: Logger;
  readonly #trouble: ProblemLog;
  readonly #steadyMs: number;
  #fault: Fault | undefined;
  #faultAt = 0;
  #detail = 'connecting';
  #ok = false;

  /** @param steadyMs how long until a conflict without repetition counts as over */
  constructor(log: Logger, steadyMs: number) {
    this.#log = log;
    this.#trouble = new ProblemLog(log);
    this.#steadyMs = steadyMs;
  }

  get status(): Status {
    return { ok: this.#ok, detail: this.#detail };
  }

  /** @returns false while an earlier fault may persist */
  good(detail: string): boolean {
    // Two competing pollers succeed in turns, so one successful poll proves little.
    const waiting =
      this.#fault?.kind === 'conflict' && performance.now() - this.#faultAt < this.#steadyMs;
    if (waiting) return false;
    if (!this.#ok) this.#log.info({}, `Telegram: ${detail}`);
    this.#fault = undefined;
    this.#trouble.resolve();
    this.#ok = true;
    this.#detail = detail;
    return true;
  }

  bad(fault: Fault): void {
    this.#fault = fault;
    this.#faultAt = performance.now();
    this.#ok = false;
    this.#detail = fault.words;
    this.#trouble.report(fault.kind, 'warn', { kind: fault.kind }, `Telegram: ${fault.words}`);
  }

  stopped(): void {
    this.#ok = false;
    this.#detail = 'stopped';
  }
}
