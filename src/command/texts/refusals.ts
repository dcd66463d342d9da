import type { ProofErrorCode, UserError, UserErrorCode } from '#base';

/** Refusals after which the wallet can be proved with a new text. */
const SIGN_AGAIN: readonly ProofErrorCode[] = [
  'signature-malformed',
  'signature-cut',
  'signature-other-wallet',
  'signature-wrong',
  'signature-wrong-or-rekeyed',
  'signature-other-site',
  'authenticator-malformed',
  'transaction-changed',
  'account-rekeyed',
  'contract-refused',
  'signature-undelegated',
  'owners-missing',
  'proof-unchecked',
  'text-expired',
];

/** Adds for chats how to get a new text, where that helps. */
export function proofErrorsInChat(
  sentences: Readonly<Record<ProofErrorCode, string>>,
  newText: string,
): Readonly<Record<ProofErrorCode, string>> {
  const again = SIGN_AGAIN.map((code) => [code, `${sentences[code]} ${newText}`]);
  return { ...sentences, ...Object.fromEntries(again) };
}

/** The sentence for an error, its `{}` filled with the error's values; undefined if there is none. */
export function sentenceFor(
  sentences: Partial<Record<UserErrorCode, string>>,
  { code, values }: UserError,
): string | undefined {
  return values.reduce((text, value) => text?.replace('{}', () => value), sentences[code]);
}
