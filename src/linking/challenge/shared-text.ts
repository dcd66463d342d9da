import type { Submission } from '#linking/proving/proof';
import type { LinkRequest, PendingProof, SharedText, StoredChallenge } from './requests.ts';

/** Seconds to sign a challenge. */
export const CHALLENGE_SECONDS = 300;

/** Whether a text lives long enough for several people to sign it. */
export function isForSeveral(challenge: StoredChallenge | undefined): challenge is StoredChallenge {
  const { issuedAt, expiresAt = 0 } = challenge ?? {};
  return issuedAt !== undefined && expiresAt - issuedAt > CHALLENGE_SECONDS;
}

/** What is left of a request if a submission is refused. */
export function leftOf(
  { shared }: PendingProof,
  now: number,
): Pick<LinkRequest, 'pending'> & Partial<Pick<LinkRequest, 'challenge'>> {
  if (shared === undefined || shared.challenge.expiresAt <= now) return { pending: undefined };
  return { challenge: shared.challenge, pending: shared.awaited };
}

/** The text of a submission that several people sign. */
export function sharedOf(
  { challenge, pending }: LinkRequest,
  { signature }: Submission,
  now: number,
): SharedText | undefined {
  const { shared, submission } = pending ?? {};
  // What can't be checked yet gives way to what is handed in later, which more owners may have signed.
  const givesWay = challenge === undefined && submission?.signature !== signature;
  if (givesWay && shared !== undefined && shared.challenge.expiresAt > now) return shared;
  if (!isForSeveral(challenge)) return undefined;
  return { challenge, awaited: pending?.awaits === undefined ? undefined : pending };
}
