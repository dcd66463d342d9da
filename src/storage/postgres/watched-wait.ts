import { RetryableError } from '#base';
import { heldUpMs } from '#base/waiting';
import { isTimeout } from './errors.ts';

/** The share of a wait for which this process may have been held up until a timeout shows nothing. */
const MOST_HELD_UP = 0.25;

/** pg's message for a query; others say that no connection was made, so that nothing has begun. */
const UNANSWERED = 'Query read timeout';

/** How often a connection that this process itself was too late for is tried again. */
export const MORE_TRIES = 2;

/**
 * One wait for Postgres, from now on. pg's timeouts also pass while this process is busy or has no processor time;
 * then they aren't the database's silence.
 */
export class WatchedWait {
  readonly #begun = performance.now();
  readonly #before = heldUpMs();

  /** Whether an error shows nothing about the database, and connecting again does no harm. */
  mayTryAgain(error: unknown): boolean {
    return this.#showsNothing(error) && (error as Error).message !== UNANSWERED;
  }

  /** The error to show in place of one that shows nothing about the database. @param name of it */
  explain(error: unknown, name: string): unknown {
    if (!this.#showsNothing(error)) return error;
    return new RetryableError(
      `This process was held up while it waited for ${name}, so it doesn't know whether that is responding. If this happens again, give it more processor time.`,
      { cause: error },
    );
  }

  #showsNothing(error: unknown): boolean {
    const passed = performance.now() - this.#begun;
    return isTimeout(error) && heldUpMs() - this.#before >= passed * MOST_HELD_UP;
  }
}
