import { addressOf } from '#core/pasted-address';
import { withoutQuotes } from '#core/sanitize-text';

/** Some longer than any address, and shorter than any signature by a key. */
const LONGEST_ADDRESS = 80;
/** Signatures in hex, base58, base64 and base64url. */
const ENCODED = /^[\w+/=-]+$/;
/** A label in front of a signature, or its name in the JSON that tools export; a key turns out to be none. */
const NAMED_SIGNATURE = /(?:^|[\s{,;])(?:sig|signature|firma|key|secret|clave)\s*[:=]\s*(.+)$/isu;
/** What Solana's tools print: the bytes of a signature, as numbers. */
const NUMBERS = /^\[\s*\d{1,3}(?:\s*,\s*\d{1,3}){63}\s*\]$/;

/**
 * A signature as wallets, tools and people give it: broken into lines, in quotes, with a label, in
 * JSON, as a list of numbers, or behind the address it is by.
 * @returns its encoded text; undefined for what is no signature
 */
export function pastedSignature(text: string): string | undefined {
  const plain = withoutQuotes(text);
  if (NUMBERS.test(plain)) return ofNumbers(plain);
  const named = NAMED_SIGNATURE.exec(plain)?.[1];
  if (named !== undefined) return signatureIn(named.replace(/[,;}].*$/s, ''));
  return signatureIn(plain);
}

function signatureIn(text: string): string | undefined {
  const words = text.replaceAll(/^[<([]+|[>)\].,;]+$/g, '').split(/\s+/u);
  const [first = '', ...others] = words;
  const behind = others.join('');
  const whole = first + behind;
  if (!ENCODED.test(whole) || words.every((each) => addressOf(each) !== undefined)) {
    return undefined;
  }
  if (addressOf(first) !== undefined && isSignature(behind)) return behind;
  return isSignature(whole) ? whole : undefined;
}

/** A contract's owners may have agreed on the chain, with nothing left to hand in but `0x`. */
function isSignature(text: string): boolean {
  return text.length > LONGEST_ADDRESS || text === '0x';
}

function ofNumbers(text: string): string | undefined {
  const bytes = (text.match(/\d+/g) ?? []).map(Number);
  return bytes.every((each) => each < 256) ? Uint8Array.from(bytes).toBase64() : undefined;
}
