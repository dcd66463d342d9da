import { BusyError, messageOf, PlatformFault, RetryableError } from '#base';

/** The platform is unavailable; the store is not. */
export class NoAnswer extends PlatformFault {}

/** The same after a change was sent: what became of it is unknown. */
export class LostAnswer extends NoAnswer {}

/**
 * The platform doesn't show the community to the bot, which may pass: nothing follows about any member of it.
 */
export class UnreachableCommunity extends PlatformFault {}

/** The platform doesn't tell the bot whose account that is, which says nothing about whether they're there. */
export class UnknownAccount extends PlatformFault {}

/** The platform is unavailable, and has certainly not been asked, or has said that it did nothing. */
export class NotSent extends NoAnswer {}

/** Calls the platform, and tells its failures from the store's. @throws NoAnswer, BusyError */
export async function askPlatform<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof RetryableError) || error instanceof BusyError) throw error;
    const code = error instanceof PlatformFault ? error.code : undefined;
    throw new NoAnswer(messageOf(error), { cause: error, code });
  }
}
