import { sleep } from '#platforms/telegram/connection/sleep';

/** What comes of it, or undefined when that takes longer; it goes on all the same. */
export async function within<T>(work: Promise<T>, milliseconds: number): Promise<T | undefined> {
  const waiting = new AbortController();
  try {
    return await Promise.race([work, sleep(milliseconds, waiting.signal).then(() => undefined)]);
  } finally {
    waiting.abort();
  }
}
