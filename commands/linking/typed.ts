import { pastedSignature } from '#core/links/pasted-signature';
import { looksSecret } from '#core/links/secrets';
import { addressesIn, withoutCommand } from '#core/pasted-address';
import { withoutQuotes } from '#core/sanitize-text';

/** What a member meant with what they typed after `/link`, in whichever option it came. */
export type Typed =
  | { readonly kind: 'nothing' }
  /** To begin anew, though something is waited for. */
  | { readonly kind: 'new' }
  | { readonly kind: 'code'; readonly code: string }
  | { readonly kind: 'signature'; readonly signature: string }
  /** Which may have a slip in it. */
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'several-addresses' }
  /** A seed phrase or a private key: it must be neither repeated nor kept. */
  | { readonly kind: 'secret' }
  | { readonly kind: 'unclear' };

/** What the button that begins anew gives. */
export const NEW = 'new';

/** Shorter than any address. */
const LONGEST_WORD = 19;
/** Six digits, together or apart. */
const CODE = /\d{3}[\s.,·-]{0,3}\d{3}/gu;
/** Characters beside the digits of a code. */
const MOST_BESIDE = 60;
/** The zeros of digits that keyboards have beside ASCII's: Arabic, Persian, Devanagari, Bengali, Thai. */
const ZEROS: readonly number[] = [0x0660, 0x06f0, 0x0966, 0x09e6, 0x0e50];

/**
 * Chats put what is typed into the first option or drop it, and people type the command into its own
 * field: so every option takes an address, a code or a signature. What is all digits together wins,
 * then a signature, for an address alone would begin something new.
 */
export function readTyped(...options: readonly (string | undefined)[]): Typed {
  const texts = options.filter((each) => each !== undefined).map(cleaned);
  const given = texts.filter((each) => each !== '');
  if (given.length === 0) return { kind: 'nothing' };
  if ([...given, given.join(' ')].some(looksSecret)) return { kind: 'secret' };
  const read = given.map(readOne);
  // A chat may have put the halves of a code into two options.
  const together = readOne(given.join(' '));
  if (together.kind === 'code') return together;
  for (const kind of ['code', 'signature', 'new', 'several-addresses', 'address'] as const) {
    const found = read.find((each) => each.kind === kind);
    if (found !== undefined) return found;
  }
  return { kind: 'unclear' };
}

/** Without the command, quotes, and what is unseen. */
function cleaned(text: string): string {
  return withoutCommand(withoutQuotes(text));
}

function readOne(text: string): Typed {
  const code = codeIn(text);
  if (code !== undefined) return { kind: 'code', code };
  if (text.toLowerCase() === NEW) return { kind: 'new' };
  const signature = pastedSignature(text);
  if (signature !== undefined) return { kind: 'signature', signature };
  const [address, ...others] = addressesIn(text);
  if (others.length > 0) return { kind: 'several-addresses' };
  if (address !== undefined) return { kind: 'address', address };
  const isAddress = /^\w+$/.test(text) && (text.length > LONGEST_WORD || /^0x/i.test(text));
  return isAddress ? { kind: 'address', address: text } : { kind: 'unclear' };
}

/** Six digits among few other words, also typed twice or spelled out digit by digit. */
function codeIn(text: string): string | undefined {
  const plain = text.replaceAll(/\p{Nd}/gu, asAscii);
  const bare = plain.replaceAll(/[\s.,·-]/gu, '');
  if (/^\d{6}$/.test(bare)) return bare;
  const found = new Set((plain.match(CODE) ?? []).map((each) => each.replaceAll(/\D/gu, '')));
  const beside = plain.replaceAll(CODE, '');
  const isAlone = !/\d/.test(beside) && beside.length <= MOST_BESIDE;
  return found.size === 1 && isAlone ? [...found][0] : undefined;
}

function asAscii(digit: string): string {
  const point = digit.codePointAt(0) ?? 0;
  const zero = ZEROS.find((each) => each <= point && point < each + 10);
  return zero === undefined ? digit : String(point - zero);
}
