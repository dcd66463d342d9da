import type { ProofErrorCode, UserError, UserErrorCode } from '#core/errors';

/** After these the same wallet can be proved with another text. */
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
  'owners-missing',
  'proof-unchecked',
  'text-expired',
];

/** The sentences for a chat, where a refused signature takes a new text. */
export function proofErrorsInChat(
  sentences: Readonly<Record<ProofErrorCode, string>>,
  newText: string,
): Readonly<Record<ProofErrorCode, string>> {
  const again = SIGN_AGAIN.map((code) => [code, `${sentences[code]} ${newText}`]);
  return { ...sentences, ...Object.fromEntries(again) };
}

/** The sentence for an error, with its values where it has `{}`; undefined where there is none. */
export function sentenceFor(
  sentences: Partial<Record<UserErrorCode, string>>,
  { code, values }: UserError,
): string | undefined {
  return values.reduce((text, value) => text?.replace('{}', () => value), sentences[code]);
}
