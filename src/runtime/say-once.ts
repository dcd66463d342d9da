import { RetryableError } from '#core/errors';
import type { LogFields, Logger } from '#core/logger';

type Level = 'info' | 'warn' | 'error';

/** Logs trouble once, however often it comes back before it's over. */
export class SayOnce {
  readonly #log: Logger;
  /** The kind of trouble that was logged last; undefined when there is none. */
  #said: string | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  /**
   * Logs trouble when its kind isn't the one that was logged last, and at debug level otherwise.
   * @returns whether it was new
   */
  say(kind: string, level: Level, fields: LogFields, message: string): boolean {
    const isNew = this.#said !== kind;
    this.#said = kind;
    this.#log[isNew ? level : 'debug'](fields, message);
    return isNew;
  }

  /**
   * Logs an error of work that is tried again by itself: a RetryableError once as a warning, anything
   * else each time, because it's a bug.
   */
  failed(error: unknown, message: string): void {
    if (error instanceof RetryableError)
      this.say('retryable', 'warn', { reason: error.message }, message);
    else {
      this.#said = 'bug';
      this.#log.error({ err: error }, message);
    }
  }

  /** The trouble is over. @param message logged if there was any @returns whether there was */
  over(message?: string): boolean {
    const wasSaid = this.#said !== undefined;
    this.#said = undefined;
    if (wasSaid && message !== undefined) this.#log.info({}, message);
    return wasSaid;
  }
}
