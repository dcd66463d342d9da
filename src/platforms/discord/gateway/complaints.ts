import type { Logger } from '#core/logger';
import { describe } from '#platforms/discord/describe';
import type { Fault, FaultKind } from './faults.ts';

const MENDS_ITSELF: readonly FaultKind[] = ['network', 'trouble', 'limited', 'sharding'];

/** Tells the log what is wrong with the gateway: the same thing once, however often it is tried. */
export class Complaints {
  readonly #log: Logger;
  #said: FaultKind | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** @param wait milliseconds until the next try */
  report({ kind, detail, cause }: Fault, wait: number): void {
    const fields = {
      nextTrySeconds: Math.ceil(wait / 1000),
      ...(cause !== undefined && describe(cause)),
    };
    const level = kind === this.#said ? 'debug' : MENDS_ITSELF.includes(kind) ? 'warn' : 'error';
    this.#said = kind;
    this.#log[level](fields, detail);
  }

  mended(): void {
    if (this.#said !== undefined) this.#log.info({}, 'Discord is connected again');
    this.#said = undefined;
  }
}
