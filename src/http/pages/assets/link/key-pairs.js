import { fromBase58, fromBase64, fromHex, toBase64url } from './bytes.js';
import { encodedIn, listsIn } from './key-pair-forms.js';

/** What precedes a private key of 32 bytes in PKCS #8. https://www.rfc-editor.org/rfc/rfc8410#section-7 */
const PKCS8 = fromHex('302e020100300506032b657004220420');

/**
 * Whether a text has a private key as Solana's and Algorand's tools store it, which looks like a signature but for its
 * halves: the second is the public key of the first. Where the browser doesn't know Ed25519, only the service notices.
 */
export async function hasKeyPair(text) {
  const found = [...listsIn(text), ...encodedIn(text).flatMap(readingsOf)];
  for (const each of found) if (each.length === 64 && (await isSecretKey(each))) return true;
  return false;
}

async function isSecretKey(pair) {
  try {
    const secret = Uint8Array.of(...PKCS8, ...pair.subarray(0, 32));
    const key = await crypto.subtle.importKey('pkcs8', secret, 'Ed25519', true, ['sign']);
    const { x } = await crypto.subtle.exportKey('jwk', key);
    return x === toBase64url(pair.subarray(32));
  } catch {
    return false;
  }
}

/** The bytes of a text in hex, base58 and base64, as far as it is that. */
function readingsOf(text) {
  const readings = [];
  if (/^(?:0x)?(?:[0-9a-f]{2})+$/i.test(text)) readings.push(fromHex(text.replace(/^0x/i, '')));
  if (/^[1-9A-HJ-NP-Za-km-z]+$/.test(text)) readings.push(fromBase58(text));
  const plain = text.replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/');
  if (/^[A-Za-z0-9+/]+$/.test(plain) && plain.length % 4 !== 1) readings.push(fromBase64(plain));
  return readings;
}
