import { type Logger, ProblemLog } from '#base';
import { errorFields } from '#platforms/discord/error-fields';
import type { Fault, FaultKind } from './faults.ts';

const MENDS_ITSELF: readonly FaultKind[] = ['network', 'trouble', 'limited', 'sharding'];

/** Logs gateway faults, each once however often it's retried. */
export class FaultLog {
  readonly #trouble: ProblemLog;

  constructor(log: Logger) {
    this.#trouble = new ProblemLog(log);
  }

  /** @param wait milliseconds until the next attempt */
  report({ kind, detail, cause }: Fault, wait: number): void {
    const fields = {
      nextTrySeconds: Math.ceil(wait / 1000),
      ...(cause !== undefined && errorFields(cause)),
    };
    this.#trouble.report(kind, MENDS_ITSELF.includes(kind) ? 'warn' : 'error', fields, detail);
  }

  mended(): void {
    this.#trouble.resolve('Discord is connected again');
  }
}
