import type { LinkRequest } from './requests.ts';
import { isForSeveral } from './shared-text.ts';

/**
 * A wallet signed on the page, and its code is expected. Which one isn't said: until the code is entered,
 * it may be that of somebody else whom the account sent its link.
 */
export interface ExpectedCode {
  readonly expiresAt: number;
  /**
   * Why the page has no code yet: the signature can't be checked now, was checked while the page was
   * closed, or several owners of a contract are still signing.
   */
  readonly missing?: 'unchecked' | 'unseen' | 'owners';
}

/** @returns undefined if no code of the request is expected */
export function expectedOf(
  { proved, checked, pending, challenge }: LinkRequest,
  now: number,
): ExpectedCode | undefined {
  if (proved !== undefined && proved.expiresAt > now) {
    return { expiresAt: proved.expiresAt };
  }
  if (checked !== undefined && checked.until > now) {
    return { expiresAt: checked.until, missing: 'unseen' };
  }
  if (isForSeveral(challenge) && challenge.expiresAt > now) {
    return { expiresAt: challenge.expiresAt, missing: 'owners' };
  }
  if (pending === undefined || pending.until <= now) return undefined;
  return { expiresAt: pending.until, missing: 'unchecked' };
}
