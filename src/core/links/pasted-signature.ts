import { addressOf } from '#core/pasted-address';
import { withoutQuotes } from '#core/sanitize-text';

/** A length above any address and below any key signature. */
const LONGEST_ADDRESS = 80;
/** Signatures in hex, base58, base64 and base64url. */
const ENCODED = /^[\w+/=-]+$/;
/** A label, or the property name in exported JSON; keys are ruled out later. */
const NAMED_SIGNATURE = /(?:^|[\s{,;])(?:sig|signature|firma|key|secret|clave)\s*[:=]\s*(.+)$/isu;
/** Solana's tools print a signature's bytes as numbers. */
const NUMBERS = /^\[\s*\d{1,3}(?:\s*,\s*\d{1,3}){63}\s*\]$/;

/**
 * Extracts a signature from what wallets, tools and people paste: with line breaks, quotes, a
 * label, in JSON, as a list of numbers, or after the signer's address.
 * @returns the encoded signature; undefined if there is none
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

/** A contract's owners may have approved on chain, which leaves only `0x` to submit. */
function isSignature(text: string): boolean {
  return text.length > LONGEST_ADDRESS || text === '0x';
}

function ofNumbers(text: string): string | undefined {
  const bytes = (text.match(/\d+/g) ?? []).map(Number);
  return bytes.every((each) => each < 256) ? Uint8Array.from(bytes).toBase64() : undefined;
}
