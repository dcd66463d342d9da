import { messageOf, RetryableError } from '#core/errors';

/** The platform gives no answer now; the store does. */
export class NoAnswer extends RetryableError {}

/** Asks the platform, and tells its "not now" from the store's. @throws NoAnswer */
export async function askPlatform<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof RetryableError)) throw error;
    throw new NoAnswer(messageOf(error), { cause: error });
  }
}
