import { UserError, type UserErrorCode } from '#base';
import type { StoredProof, Submission, WalletProver } from '#linking/proving/proof';
import { checkRespaced } from '#linking/proving/respaced-text';
import type { LinkRequest, PendingProof, SharedText, StoredChallenge } from './requests.ts';

/** Seconds to sign a challenge. */
export const CHALLENGE_SECONDS = 300;

/** Whether a text lives long enough for several people to sign it. */
export function isForSeveral(challenge: StoredChallenge | undefined): challenge is StoredChallenge {
  const { issuedAt, expiresAt = 0 } = challenge ?? {};
  return issuedAt !== undefined && expiresAt - issuedAt > CHALLENGE_SECONDS;
}

/** What is left of a request if a submission is refused, or can't be checked in time. */
export function leftOf(
  { shared, submission }: PendingProof,
  now: number,
  refusal?: UserErrorCode,
): Pick<LinkRequest, 'pending'> & Partial<Pick<LinkRequest, 'challenge'>> {
  if (shared === undefined || shared.challenge.expiresAt <= now) return { pending: undefined };
  const challenge = { ...shared.challenge, ...signedAfter(refusal, submission) };
  return { challenge, pending: shared.awaited };
}

/** Of signatures that a contract rejects together, nobody can say which is wrong: owners begin anew. */
function signedAfter(
  refusal: UserErrorCode | undefined,
  { signature }: Submission,
): Pick<StoredChallenge, 'signed'> {
  if (refusal === 'owners-missing' && OF_OWNERS.test(signature)) return { signed: signature };
  return refusal === 'contract-refused' ? { signed: undefined } : {};
}

/** Signatures of owners, one behind the other. */
const OF_OWNERS = /^0x(?:[0-9a-f]{130})+$/i;
const OF_OWNER = /[0-9a-f]{130}/gi;
/** The most signatures that are accepted in any order; a contract wants those of more by address. */
const MOST_JOINED = 3;

/** What counts of a text that several people sign: what is handed in with what others did before, or else alone. */
export function givenOf(
  request: LinkRequest,
  { signed = '' }: StoredChallenge,
  submission: Submission,
): Pick<PendingProof, 'submission' | 'earlier'> {
  const earlier = earlierOf(request, submission);
  if (!OF_OWNERS.test(signed) || !OF_OWNERS.test(submission.signature)) {
    return { submission, earlier };
  }
  const own: readonly string[] = submission.signature.slice(2).match(OF_OWNER) ?? [];
  const others = (signed.slice(2).match(OF_OWNER) ?? []).filter((each) => !own.includes(each));
  const all = [...own, ...others];
  if (others.length === 0 || all.length > MOST_JOINED) return { submission, earlier };
  const together = { ...submission, signature: `0x${all.join('')}` };
  return { submission: together, earlier: [submission, ...earlier] };
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
function earlierOf(request: LinkRequest, submission: Submission): readonly Submission[] {
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
      return { ...(await checkRespaced(prover, { wallet, text }, each)), text };
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      refusal ??= error;
    }
  }
  throw refusal;
}
