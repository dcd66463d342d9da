import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { UserError } from '#base';
import { cookieOf } from '#http/pages/document';
import { pastedSignature, SIGNATURE_FORMS, type SignatureForm, type Submission } from '#linking';
import { pastedAddress } from '#wallet';

/** Contract wallets may need many signatures in one; a key's signature has about a hundred characters. */
const SIGNATURE_MAX = 17_000;
/** The address may come in an explorer's URL. */
export const ADDRESS_MAX = 300;
const AUTHENTICATOR_DATA_MAX = 1_024;

/** Hex, base58, base64 and base64url. */
const ENCODED = /^[\w+/=-]+$/;
/** What a wallet answered in place of a signature, such as `{"result": …}`. */
const OBJECT = /^\{/;
/** As behind the `#` of the link's URL. */
const TICKET = /^[\w-]{16,128}$/;

type Fields = Readonly<Record<string, unknown>>;

interface Opening {
  readonly ticket: string;
  readonly opener: string | undefined;
}

/** Reads the JSON body `{ticket, opener?}`; returns an error message if it's invalid. */
export function readOpening(body: unknown): Opening | string {
  const fields = fieldsOf(body, ['ticket', 'opener']);
  if (typeof fields === 'string') return fields;
  const { ticket, opener } = fields;
  if (typeof ticket !== 'string' || !TICKET.test(ticket)) {
    return 'ticket must be the part after the # of the link.';
  }
  if (opener === undefined) return { ticket, opener };
  return isSecret(opener) ? { ticket, opener } : 'opener must be 32 hex digits, or left out.';
}

/** Reads the JSON body `{ticket?, opener?}`; returns an error message if it's invalid. */
export function readLooking(body: unknown): Partial<Opening> | string {
  const fields = fieldsOf(body, ['ticket', 'opener']);
  if (typeof fields === 'string') return fields;
  return fields.ticket === undefined ? {} : readOpening(body);
}

/** Reads the JSON body `{address}`; returns an error message if it's invalid. */
export function readAddress(body: unknown): { readonly address: string } | string {
  const fields = fieldsOf(body, ['address']);
  if (typeof fields === 'string') return fields;
  const { address } = fields;
  return typeof address === 'string' && address.length <= ADDRESS_MAX
    ? { address: pastedAddress(address) }
    : `address must be a string of at most ${ADDRESS_MAX} characters.`;
}

/** A signature, and which text it signs. */
interface HandedIn {
  readonly submission: Submission;
  readonly nonce: string | undefined;
}

/**
 * Reads the JSON body `{nonce?, form?, signature, authenticatorData?}`; returns an error message if it's
 * invalid.
 */
export function readHandedIn(body: unknown): HandedIn | string {
  const fields = fieldsOf(body, ['nonce', 'form', 'signature', 'authenticatorData']);
  if (typeof fields === 'string') return fields;
  const { nonce } = fields;
  if (nonce !== undefined && !isSecret(nonce)) {
    return 'nonce must be the one in the text, or left out.';
  }
  const submission = readSubmission(fields);
  return typeof submission === 'string' ? submission : { submission, nonce };
}

function readSubmission({ form, signature, authenticatorData }: Fields): Submission | string {
  if (form !== undefined && !isForm(form)) {
    return `form must be one of ${SIGNATURE_FORMS.join(', ')}, or left out.`;
  }
  if (!isText(signature, SIGNATURE_MAX)) {
    return `signature must be a text of at most ${SIGNATURE_MAX} characters.`;
  }
  // Entered by hand, in any form that people paste.
  if (form === undefined && authenticatorData === undefined) return { form, signature };
  if (!ENCODED.test(signature) && !OBJECT.test(signature)) {
    return 'signature must be hex, base58 or base64, or JSON that has it.';
  }
  if (authenticatorData === undefined) return { form, signature };
  if (form !== 'arc60' || !isEncoded(authenticatorData, AUTHENTICATOR_DATA_MAX)) {
    return `authenticatorData is only for arc60: base64 of at most ${AUTHENTICATOR_DATA_MAX} characters.`;
  }
  return { form, signature, authenticatorData };
}

/**
 * Converts a signature entered by hand, and a wallet's answer in JSON, to the encoding that wallets use.
 * @throws UserError `signature-malformed`, before it uses up the challenge
 */
export function encodedSubmission(submission: Submission): Submission {
  if (submission.form !== undefined && ENCODED.test(submission.signature)) return submission;
  const signature = pastedSignature(submission.signature);
  if (signature !== undefined) return { ...submission, signature };
  throw new UserError(
    'signature-malformed',
    "This isn't a signature. Send everything your wallet gave you, and nothing else.",
  );
}

/** The body's fields if it has no unknown ones, otherwise an error message. */
function fieldsOf(body: unknown, known: readonly string[]): Fields | string {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return 'The body must be a JSON object.';
  }
  return Object.keys(body).every((name) => known.includes(name))
    ? (body as Fields)
    : `The body can only have ${known.join(', ')} alone.`;
}

/** The form in which both the service and the page generate secrets. */
function isSecret(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{32}$/.test(value);
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

/** The page and its endpoints; the cookie is sent nowhere else. */
export const LINK_PATH = '/link';

/** Recognizes the browser that opened a request. */
interface SessionCookie {
  /** @returns undefined if there's none, or it isn't one of ours */
  read(request: FastifyRequest): string | undefined;
  /** @param seconds how long the browser keeps it */
  write(reply: FastifyReply, session: string, seconds: number): void;
}

/**
 * A cookie that scripts can't read and other sites can't send along.
 * @param isSecure whether the page is served over https; the cookie then requires it
 */
export function sessionCookie(isSecure: boolean): SessionCookie {
  const name = isSecure ? '__Secure-fathom_link' : 'fathom_link';
  const attributes = `Path=${LINK_PATH}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  return {
    read(request) {
      const session = cookieOf(request, name);
      return /^[0-9a-f]{32}$/.test(session) ? session : undefined;
    },
    write(reply, session, seconds) {
      reply.header('Set-Cookie', `${name}=${session}; ${attributes}; Max-Age=${seconds}`);
    },
  };
}

/**
 * The URL that opens the page inside a wallet app. Apps pass it on as a path or a parameter of their own link
 * and may lose a fragment. So the ticket is in the path here, and this redirects to the page with the ticket
 * behind `#` again. Reading it claims nothing.
 */
export function addHandover(scope: FastifyInstance): void {
  scope.route<{ Params: { ticket: string }; Querystring: { lang?: unknown } }>({
    method: ['GET', 'HEAD'],
    url: `${LINK_PATH}/with/:ticket`,
    handler(request, reply) {
      const { ticket } = request.params;
      const { lang } = request.query;
      const language = typeof lang === 'string' && /^[a-z]{2}$/.test(lang) ? `?lang=${lang}` : '';
      // For anything else, the page says that it isn't one of the bot's links.
      const fragment = TICKET.test(ticket) ? `#${ticket}` : '';
      return reply
        .headers({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' })
        .redirect(`${LINK_PATH}${language}${fragment}`, 302);
    },
  });
}
