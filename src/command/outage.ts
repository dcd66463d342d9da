import { PlatformFault, type RetryableError } from '#base';
import type { Texts } from './texts/index.ts';

/**
 * What to say of an error that may pass: what is away, and when to try again.
 * @param platform the name of the one where they ask
 */
export function outageText(
  error: RetryableError,
  platform: string | undefined,
  { errors }: Texts,
): string {
  const isPlatforms = platform !== undefined && error instanceof PlatformFault;
  return isPlatforms
    ? errors.platformSilent(platform, error.retryAfter)
    : errors.unavailable(error.retryAfter);
}
