import type { Logger } from '#core/logger';
import { describe } from '#platforms/discord/describe';
import { SayOnce } from '#runtime/say-once';
import type { Fault, FaultKind } from './faults.ts';

const MENDS_ITSELF: readonly FaultKind[] = ['network', 'trouble', 'limited', 'sharding'];

/** Tells the log what is wrong with the gateway: the same thing once, however often it is tried. */
export class Complaints {
  readonly #trouble: SayOnce;

  constructor(log: Logger) {
    this.#trouble = new SayOnce(log);
  }

  /** @param wait milliseconds until the next try */
  report({ kind, detail, cause }: Fault, wait: number): void {
    const fields = {
      nextTrySeconds: Math.ceil(wait / 1000),
      ...(cause !== undefined && describe(cause)),
    };
    this.#trouble.say(kind, MENDS_ITSELF.includes(kind) ? 'warn' : 'error', fields, detail);
  }

  mended(): void {
    this.#trouble.over('Discord is connected again');
  }
}
