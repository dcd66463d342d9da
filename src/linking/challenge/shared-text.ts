import { UserError } from '#base';
import type { StoredProof, Submission, WalletProver } from '#linking/proving/proof';
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

/** Submitted for what the owners approve on chain. */
const APPROVED_ON_CHAIN = /^\W*0x\W*$/i;
/** Submissions before the latest one that are kept. */
const MOST_EARLIER = 4;

export function isApproval({ signature }: Submission): boolean {
  return APPROVED_ON_CHAIN.test(signature);
}

/** What was handed in of a text and can't be checked yet; the latest first. */
function uncheckedOf({ pending }: LinkRequest): readonly Submission[] {
  return pending === undefined ? [] : [pending.submission, ...(pending.earlier ?? [])];
}

/** The text of a submission that several people sign, unless it was handed in already. */
export function sharedOf(
  request: LinkRequest,
  { signature }: Submission,
  now: number,
): SharedText | undefined {
  const { challenge, pending } = request;
  const isKnown = uncheckedOf(request).some((each) => each.signature === signature);
  // What can't be checked yet gives way to what is handed in later, which more owners may have signed.
  const givesWay = challenge === undefined && !isKnown;
  const open = givesWay ? pending?.shared?.challenge : challenge;
  if (!isForSeveral(open) || (givesWay && open.expiresAt <= now)) return undefined;
  const isAwaited = pending !== undefined && isApproval(pending.submission);
  const awaited = isAwaited ? { ...pending, shared: undefined } : pending?.shared?.awaited;
  return { challenge: open, awaited };
}

/** What was handed in of the same text before, and couldn't be checked either; the latest first. */
export function earlierOf(request: LinkRequest, submission: Submission): readonly Submission[] {
  return uncheckedOf(request)
    .filter((each) => each.signature !== submission.signature && !isApproval(each))
    .slice(0, MOST_EARLIER);
}

/**
 * The proof by what was handed in last, or before it.
 * @throws UserError why the last was refused; otherwise as `WalletProver.check`
 */
export async function proofOf(
  prover: WalletProver,
  { wallet, text, submission, earlier = [] }: PendingProof,
): Promise<StoredProof> {
  let refusal: UserError | undefined;
  for (const each of [submission, ...earlier]) {
    try {
      return { ...(await prover.check({ wallet, text }, each)), text };
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      refusal ??= error;
    }
  }
  throw refusal;
}
