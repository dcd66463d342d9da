import { hash } from 'node:crypto';
import { areEqual, concatBytes } from '#linking/proofs/bytes';

const HASH_BYTES = 32;
/** The hash, a byte of flags and a four-byte counter: WebAuthn's authenticator data. */
const FULL_BYTES = HASH_BYTES + 1 + 4;
/** The user was present, and no extensions follow that we would have to parse. */
const USER_PRESENT = 0x01;
const WITH_MORE = 0x40 | 0x80;

/** The text's lines by their ARC-60 field names. */
const FIELD_OF_LINE: ReadonlyMap<string, string> = new Map([
  ['URI', 'uri'],
  ['Version', 'version'],
  ['Nonce', 'nonce'],
  ['Issued At', 'issued-at'],
  ['Expiration Time', 'expiration-time'],
  ['Request ID', 'request-id'],
]);

/**
 * What a page passes to `signData` as `data` (in base64) with scope AUTH: the fields of the text as
 * JSON in canonical form (RFC 8785: no spaces, keys in order), which is what wallets hash. Of the
 * text `example.org wants you to …` come
 *
 *     {"account_address":"…","chain_id":"algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73k",
 *      "domain":"example.org","expiration-time":"…","issued-at":"…","nonce":"…","request-id":"…",
 *      "statement":"…","type":"ed25519","uri":"…","version":"1"}
 *
 * in one line. `domain` is also the `domain` of the request, and its SHA-256 the
 * `authenticatorData`.
 * https://dev.algorand.co/arc-standards/arc-0060
 * @param text as `challengeText` writes it
 * @param network CAIP-2
 */
export function arc60Data(text: string, network: string): string {
  const [, address = '', , statement = '', , ...lines] = text.split('\n');
  const fields: Record<string, string> = {
    account_address: address,
    chain_id: network,
    domain: domainOf(text),
    statement,
    type: 'ed25519',
  };
  for (const line of lines) {
    const end = line.indexOf(': ');
    const field = FIELD_OF_LINE.get(line.slice(0, end));
    if (field !== undefined) fields[field] = line.slice(end + 2);
  }
  return JSON.stringify(Object.fromEntries(Object.entries(fields).sort(byKey)));
}

/** The authenticator data that a page requests when it has no other. */
export function plainAuthenticatorData(text: string): Uint8Array {
  return sha256(domainOf(text));
}

export type AuthenticatorFault = 'malformed' | 'other-domain';

/**
 * Checks the authenticator data that was signed: its domain, and if it has flags, that the user was
 * present.
 */
export function faultOfAuthenticatorData(
  data: Uint8Array,
  text: string,
): AuthenticatorFault | undefined {
  const flags = data.length === HASH_BYTES ? USER_PRESENT : data[HASH_BYTES];
  if (data.length !== HASH_BYTES && data.length !== FULL_BYTES) return 'malformed';
  if (flags === undefined || (flags & (USER_PRESENT | WITH_MORE)) !== USER_PRESENT) {
    return 'malformed';
  }
  const isOurs = areEqual(data.subarray(0, HASH_BYTES), plainAuthenticatorData(text));
  return isOurs ? undefined : 'other-domain';
}

/** What is signed: both hashes, concatenated. */
export function signedOfArc60(data: string, authenticatorData: Uint8Array): Uint8Array {
  return concatBytes(sha256(data), sha256(authenticatorData));
}

/** The first word: the requesting host. */
function domainOf(text: string): string {
  return text.slice(0, text.indexOf(' '));
}

function sha256(bytes: Uint8Array | string): Uint8Array {
  return hash('sha256', bytes, 'buffer');
}

function byKey([a]: [string, string], [b]: [string, string]): number {
  return a < b ? -1 : 1;
}
