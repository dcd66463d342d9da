import { RetryableError } from './errors.ts';
import type { MaybePromise } from './maybe-promise.ts';

/** How long to retry a store that is locked, unavailable or full. */
export interface RetryOptions {
  /** Milliseconds after the first failure when we stop retrying. */
  readonly deadlineMs: number;
  /** Milliseconds since any fixed moment. */
  monotonicMs(): number;
  /** Waits; returns early when the signal is aborted. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
  /** Advice appended to the final error. */
  readonly advice?: string;
  /** Called before each delay. */
  onWait?(error: RetryableError, waitMs: number): void;
}

export const RETRY_DEADLINE_MS = 60_000;

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;

/**
 * Retries a store operation on RetryableErrors, with doubling delays up to the deadline.
 * @throws RetryableError after the deadline
 */
export async function withRetry<T>(
  work: () => MaybePromise<T>,
  retry: RetryOptions,
  signal?: AbortSignal,
): Promise<T> {
  let wait = FIRST_WAIT_MS;
  let deadline: number | undefined;
  while (true) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      const now = retry.monotonicMs();
      deadline ??= now + retry.deadlineMs;
      if (now + wait > deadline) throw givenUp(error, retry);
      retry.onWait?.(error, wait);
    }
    await retry.sleep(wait, signal);
    signal?.throwIfAborted();
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  }
}

function givenUp(
  error: RetryableError,
  { deadlineMs, advice }: Pick<RetryOptions, 'deadlineMs' | 'advice'>,
): RetryableError {
  const given = `${error.message} Given up after ${Math.round(deadlineMs / 1000)} s.`;
  return new RetryableError(advice === undefined ? given : `${given} ${advice}`, {
    retryAfter: error.retryAfter,
    cause: error,
  });
}
