import { setTimeout as delay } from 'node:timers/promises';
import { RetryableError } from '#core/errors';

/**
 * Waits for an answer for so long; one that comes later is nobody's.
 * @param message for people, when it takes longer
 * @throws RetryableError
 */
export async function withinMs<T>(ms: number, message: string, answer: Promise<T>): Promise<T> {
  const answered = new AbortController();
  const late = delay(ms, undefined, { signal: answered.signal }).then(() => {
    throw new RetryableError(message);
  });
  late.catch(() => undefined);
  answer.catch(() => undefined);
  try {
    return await Promise.race([answer, late]);
  } finally {
    answered.abort();
  }
}
