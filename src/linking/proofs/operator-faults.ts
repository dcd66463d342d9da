import { RetryableError, UserError } from '#base';

/**
 * Doesn't blame the wallet if the service is on the wrong network, which is the operator's fault.
 * @throws RetryableError in place of a UserError
 */
export async function ofWallet<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new RetryableError(error.message, { cause: error });
  }
}
