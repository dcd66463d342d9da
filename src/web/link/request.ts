import { UserError } from '#core/errors';
import { pastedSignature } from '#core/links/pasted-signature';
import { SIGNATURE_FORMS, type SignatureForm, type Submission } from '#core/links/proof';
import { pastedAddress } from '#core/pasted-address';

/** Contracts may want many signatures in one; a key's has some hundred characters. */
const SIGNATURE_MAX = 17_000;
/** An explorer's URL may have it. */
export const ADDRESS_MAX = 300;
const AUTHENTICATOR_DATA_MAX = 1_024;

/** Hex, base58, base64 and base64url. */
const ENCODED = /^[\w+/=-]+$/;
/** As it stands behind the `#` of the one-time address. */
export const TICKET = /^[\w-]{16,128}$/;

type Fields = Readonly<Record<string, unknown>>;

/** Reads the JSON body `{ticket}`; a string is what is wrong with it. */
export function readOpening(body: unknown): { readonly ticket: string } | string {
  const fields = fieldsOf(body, ['ticket']);
  if (typeof fields === 'string') return fields;
  const { ticket } = fields;
  return typeof ticket === 'string' && TICKET.test(ticket)
    ? { ticket }
    : 'ticket must be what stands behind the # of the address.';
}

/** Reads the JSON body `{ticket?}`; a string is what is wrong with it. */
export function readLooking(body: unknown): { readonly ticket: string | undefined } | string {
  const fields = fieldsOf(body, ['ticket']);
  if (typeof fields === 'string') return fields;
  return fields.ticket === undefined ? { ticket: undefined } : readOpening(body);
}

/** Reads the JSON body `{address}`; a string is what is wrong with it. */
export function readAddress(body: unknown): { readonly address: string } | string {
  const fields = fieldsOf(body, ['address']);
  if (typeof fields === 'string') return fields;
  const { address } = fields;
  return typeof address === 'string' && address.length <= ADDRESS_MAX
    ? { address: pastedAddress(address) }
    : `address must be a string of at most ${ADDRESS_MAX} characters.`;
}

/** Reads the JSON body `{form?, signature, authenticatorData?}`; a string is what is wrong with it. */
export function readSubmission(body: unknown): Submission | string {
  const fields = fieldsOf(body, ['form', 'signature', 'authenticatorData']);
  if (typeof fields === 'string') return fields;
  const { form, signature, authenticatorData } = fields;
  if (form !== undefined && !isForm(form)) {
    return `form must be one of ${SIGNATURE_FORMS.join(', ')}, or left out.`;
  }
  // Typed by hand, in whatever form people paste it.
  if (form === undefined && isText(signature, SIGNATURE_MAX) && authenticatorData === undefined) {
    return { form, signature };
  }
  if (!isEncoded(signature, SIGNATURE_MAX)) {
    return `signature must be hex, base58 or base64 of at most ${SIGNATURE_MAX} characters.`;
  }
  if (authenticatorData === undefined) return { form, signature };
  if (form !== 'arc60' || !isEncoded(authenticatorData, AUTHENTICATOR_DATA_MAX)) {
    return `authenticatorData goes with arc60 alone: base64 of at most ${AUTHENTICATOR_DATA_MAX} characters.`;
  }
  return { form, signature, authenticatorData };
}

/**
 * What was typed by hand as wallets encode it.
 * @throws UserError `signature-malformed`, before the challenge is used up by it
 */
export function encodedSubmission(submission: Submission): Submission {
  if (submission.form !== undefined) return submission;
  const signature = pastedSignature(submission.signature);
  if (signature !== undefined) return { ...submission, signature };
  throw new UserError(
    'signature-malformed',
    'This is not a signature. Send all that the wallet gives, and nothing else.',
  );
}

/** A body's members if it has no others than these, else what is wrong. */
function fieldsOf(body: unknown, known: readonly string[]): Fields | string {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return 'The body must be a JSON object.';
  }
  return Object.keys(body).every((name) => known.includes(name))
    ? (body as Fields)
    : `The body may have ${known.join(', ')} alone.`;
}

function isForm(value: unknown): value is SignatureForm {
  return SIGNATURE_FORMS.some((form) => form === value);
}

function isText(value: unknown, longest: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= longest;
}

function isEncoded(value: unknown, longest: number): value is string {
  return isText(value, longest) && ENCODED.test(value);
}
