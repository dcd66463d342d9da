import { RetryableError, UserError, type UserErrorCode } from '#base';
import type { Challenge, Proof, Submission, WalletProver } from './proof.ts';

/** Refusals of a signature of another text, or by another key. */
const OF_ANOTHER: readonly UserErrorCode[] = [
  'signature-other-wallet',
  'signature-other-or-contract',
  'signature-wrong',
  'signature-wrong-or-rekeyed',
];
/** What editors and tools make of a text before it's signed; none of it changes what it says. */
const RESPACED: readonly ((text: string) => string)[] = [
  (text) => `${text}\n`,
  (text) => `${text} `,
  (text) => text.replaceAll('\n', '\r\n'),
  (text) => `${text.replaceAll('\n', '\r\n')}\r\n`,
];

/**
 * Checks what was signed of a text, or of it with other spaces around or between its lines.
 * @throws as `WalletProver.check` of the text itself
 */
export async function checkRespaced(
  prover: WalletProver,
  challenge: Challenge,
  submission: Submission,
): Promise<Proof> {
  try {
    return await prover.check(challenge, submission);
  } catch (error) {
    if (!(error instanceof UserError) || !OF_ANOTHER.includes(error.code)) throw error;
    for (const respace of RESPACED) {
      const text = respace(challenge.text);
      const proof = await unlessRefused(prover, { ...challenge, text }, submission);
      // A contract is asked again later, about the text that we keep.
      if (proof !== undefined && proof.by !== 'contract') return proof;
    }
    throw error;
  }
}

async function unlessRefused(
  prover: WalletProver,
  challenge: Challenge,
  submission: Submission,
): Promise<Proof | undefined> {
  try {
    return await prover.check(challenge, submission);
  } catch (error) {
    if (error instanceof UserError || error instanceof RetryableError) return undefined;
    throw error;
  }
}
