import { withoutQuotes } from '#core/literal';

/** What a member meant with what they typed after `/link`, in whichever option it came. */
export type Typed =
  | { readonly kind: 'nothing' }
  /** To begin anew, though something is waited for. */
  | { readonly kind: 'new' }
  | { readonly kind: 'code'; readonly code: string }
  | { readonly kind: 'signature'; readonly signature: string }
  /** Which may have a slip in it. */
  | { readonly kind: 'address'; readonly address: string }
  /** A seed phrase or a private key: it must be neither repeated nor kept. */
  | { readonly kind: 'secret' }
  | { readonly kind: 'unclear' };

/** What the button that begins anew gives. */
export const NEW = 'new';

/** Some longer than any address, and shorter than any signature by a key. */
const LONGEST_ADDRESS = 80;
/** Shorter than any address. */
const LONGEST_WORD = 19;
/** An address of each chain, as it stands before a signature. */
const ADDRESS = /^(?:0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44}|[A-Z2-7]{58})$/;
/** Addresses, and signatures in hex, base58, base64 and base64url. */
const ENCODED = /^[\w+/=-]+$/;
/** The command itself, which the page says to type; in Discord also as a mention of it. */
const COMMAND = /^(?:<?\/link(?:@\w+|:\d+>)?(?![\w/])[\s:]*)+/i;
/** Numbers of words of BIP-39 phrases, and of Algorand's; their words have 3 to 8 letters. */
const PHRASES: readonly number[] = [12, 15, 18, 21, 24, 25];
const WORD = /^\p{L}{3,8}$/u;
/** Six digits in few other words, together or apart. */
const CODE = /^\D{0,30}(\d{3})[\s.·-]{0,3}(\d{3})\D{0,30}$/u;

/**
 * Chats put what is typed into the first option or drop it, and people type the command into its own
 * field: so every option takes an address, a code or a signature. What is all digits together wins,
 * then a signature, for an address alone would begin something new.
 */
export function readTyped(...options: readonly (string | undefined)[]): Typed {
  const texts = options.filter((each) => each !== undefined).map(cleaned);
  const given = texts.filter((each) => each !== '');
  if (given.length === 0) return { kind: 'nothing' };
  if ([...given, given.join(' ')].some(isSecret)) return { kind: 'secret' };
  const read = given.map(readOne);
  // A chat may have put the halves of a code into two options.
  const together = readOne(given.join(' '));
  if (together.kind === 'code') return together;
  for (const kind of ['code', 'signature', 'new', 'address'] as const) {
    const found = read.find((each) => each.kind === kind);
    if (found !== undefined) return found;
  }
  return { kind: 'unclear' };
}

/** Without the command, quotes, and what is unseen. */
function cleaned(text: string): string {
  return withoutQuotes(text).replace(COMMAND, '').trim();
}

function readOne(text: string): Typed {
  const [, start, end] = CODE.exec(text) ?? [];
  // Spelled out digit by digit as well.
  const digits = start === undefined ? text.replaceAll(/[\s.·-]/gu, '') : `${start}${end}`;
  if (/^\d{6}$/.test(digits)) return { kind: 'code', code: digits };
  if (text.toLowerCase() === NEW) return { kind: 'new' };
  // What is pasted may have been broken into lines.
  const [first = '', ...others] = text.split(/\s+/u);
  const behind = others.join('');
  const whole = first + behind;
  if (!ENCODED.test(whole)) return { kind: 'unclear' };
  if (ADDRESS.test(first) && isSignature(behind)) return { kind: 'signature', signature: behind };
  if (isSignature(whole)) return { kind: 'signature', signature: whole };
  const isAddress = behind === '' && (text.length > LONGEST_WORD || /^0x/i.test(text));
  return isAddress ? { kind: 'address', address: text } : { kind: 'unclear' };
}

/** A seed phrase, maybe numbered, a key in hex, or the file of a Solana key. */
function isSecret(text: string): boolean {
  const words = text.split(/[\s\d.,;:)-]+/u).filter((each) => each !== '');
  const isPhrase = PHRASES.includes(words.length) && words.every((each) => WORD.test(each));
  return (
    isPhrase ||
    /^(?:0x)?[0-9a-f]{64}$/i.test(text) ||
    /^\[(?:\s*\d+\s*,){63}\s*\d+\s*\]$/.test(text)
  );
}

/** A contract's owners may have agreed on the chain, with nothing left to hand in but `0x`. */
function isSignature(text: string): boolean {
  return text.length > LONGEST_ADDRESS || text === '0x';
}
