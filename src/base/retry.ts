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

/** The first delay after a failure, and the longest; in any unit of time. */
export interface BackoffRange {
  readonly first: number;
  readonly most: number;
}

/** Delay after the n-th consecutive failure, counted from 1: it doubles up to the longest. */
export function doublingDelay(failures: number, { first, most }: BackoffRange): number {
  return Math.min(most, first * 2 ** Math.min(failures - 1, 30));
}

export const RETRY_DEADLINE_MS = 60_000;

const WAIT_MS: BackoffRange = { first: 250, most: 8_000 };

/**
 * Retries a store operation on RetryableErrors, with doubling delays up to the deadline.
 * @throws RetryableError after the deadline
 */
export async function withRetry<T>(
  work: () => MaybePromise<T>,
  retry: RetryOptions,
  signal?: AbortSignal,
): Promise<T> {
  let deadline: number | undefined;
  for (let failures = 1; ; failures += 1) {
    const wait = doublingDelay(failures, WAIT_MS);
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
