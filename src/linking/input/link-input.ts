import { asciiDigits, withoutQuotes } from '#base';
import { looksSecret, mayBeHash } from '#linking/challenge/secrets';
import { addressesIn, withoutCommand } from '#wallet';
import { isAboutSignature, pastedSignature, withoutPython } from './pasted-signature.ts';
import { mayBeKeys } from './signature-parts.ts';

/** What a member typed after `/link`, whichever option it came in. */
export type LinkInput =
  | { readonly kind: 'nothing' }
  /** Start over, even while a request is pending. */
  | { readonly kind: 'new' }
  | { readonly kind: 'code'; readonly code: string }
  /** A code with digits too few or too many. */
  | { readonly kind: 'part-of-code'; readonly digits: number }
  | { readonly kind: 'signature'; readonly signature: string; readonly mayBeKeys?: true }
  /** Which vaults there are, or to link one. */
  | { readonly kind: 'vaults'; readonly address: string | undefined }
  /** May contain typos. */
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'several-addresses' }
  /** The text to sign, or part of a signature, which must not ask for another text. */
  | { readonly kind: 'no-signature' }
  /** A seed phrase or private key: never repeat or store it. */
  | { readonly kind: 'secret' }
  /** 32 bytes in hex: a private key, or public. Never repeat or store it either. */
  | { readonly kind: 'key-or-hash' }
  | { readonly kind: 'unclear' };

/** The value sent by the start over button. */
export const START_OVER = 'new';
/** The value sent by the buttons of vaults, alone or in front of an address. */
export const VAULT = 'vault';

/** In the order in which they count. */
const KINDS = [
  ...['code', 'signature', 'new', 'no-signature', 'part-of-code'],
  ...['several-addresses', 'address'],
] as const satisfies readonly LinkInput['kind'][];

/** What a message without a command is to `/link`; an address asks for its reputation. */
const FOR_LINK: readonly LinkInput['kind'][] = [
  'code',
  'part-of-code',
  'signature',
  'no-signature',
  'secret',
  'key-or-hash',
];

/** Shorter than any address. */
const LONGEST_WORD = 19;
/** Six digits, optionally split in the middle, in whatever way a keyboard has for thousands. */
const SIX = String.raw`\d{3}[\s.,;:·•|_/’،、・٫٬\p{Pd}−]{0,3}\d{3}(?!\d)`;
const CODE = new RegExp(String.raw`(?<!\d)${SIX}`, 'gu');
/** What people put between all digits; phones make longer dashes of short ones. */
const BETWEEN_DIGITS = /[\s.,·\p{Pd}−]/gu;
/** `code:`, `el código es` */
const CALLED = String.raw`(?<!\p{L})(?:code|c[oó]digo)(?!\p{L})(?:\s+(?:is|es)(?!\p{L}))?[^\p{L}\p{N}]{0,6}`;
const CALLED_CODE = new RegExp(CALLED + SIX, 'iu');
/** Up to a number that's called a code, whether it's one or not. */
const BEFORE_CODE = new RegExp(String.raw`^[^\d]{0,20}?${CALLED}(?=\d)`, 'iu');
/** An address, or a part of a signature. */
const LONG_WORD = /\w{20,}/g;
/** What chats put beside a text that's copied: `[30.11.2026 22:05]`, `10:05 PM`. */
const TIMES = /\d{1,2}:\d{2}(?::\d{2})?|\d{1,4}([./-])\d{1,2}\1\d{1,4}/gu;
/** `vault 0x…`, in either language, with the colon of an option, a dash or brackets. */
const ABOUT_VAULT = /^(?:(?:my|mi)\s+)?(?:vaults?|b[oó]vedas?)(?:[\s:=,(–—-]+(\w+))?[).,;]{0,2}$/iu;
/** Other characters allowed around a code. */
const MOST_BESIDE = 60;

/**
 * Chats put typed text into the first option or drop it, and members type the command into its own
 * field; so every option takes an address, a code or a signature. Six digits in total win, then a
 * signature, since an address alone would start a new request.
 */
export function readLinkInput(...options: readonly (string | undefined)[]): LinkInput {
  const typed = options.filter((each) => each !== undefined);
  const given = typed.map(cleaned).filter((each) => each !== '');
  if (given.length === 0) return { kind: 'nothing' };
  // With its quotes, too: Python puts bytes between some.
  // Mostly all the same.
  const texts = new Set([...typed.map(withoutCommand), ...given, given.join(' ')]);
  const secret = [...texts].filter((each) => looksSecret(each));
  if (secret.length > 0) return { kind: secret.every(mayBeHash) ? 'key-or-hash' : 'secret' };
  const read = given.map(readOne);
  // A chat may split a code across two options.
  const together = given.length > 1 ? readOne(given.join(' ')) : read[0];
  if (together?.kind === 'code') return together;
  // Its address may stand in the other option.
  const vault = read.find(({ kind }) => kind === 'vaults');
  const address = read.find((each) => each.kind === 'address');
  if (vault?.kind === 'vaults') return { ...vault, address: vault.address ?? address?.address };
  for (const kind of KINDS) {
    const found = read.find((each) => each.kind === kind);
    if (found !== undefined) return found;
  }
  return { kind: 'unclear' };
}

/** Whether a message without a command, in a private chat, is meant for `/link`. */
export function isForLink(text: string): boolean {
  return FOR_LINK.includes(readLinkInput(text).kind);
}

/** Strips the command, quotes and invisible characters. */
function cleaned(text: string): string {
  // Quotes are left to JSON.
  return withoutCommand(text.includes('{') ? text.trim() : withoutQuotes(withoutPython(text)));
}

function readOne(text: string): LinkInput {
  const code = codeIn(text);
  if (code !== undefined) return { kind: 'code', code };
  const digits = asciiDigits(text).replace(BEFORE_CODE, '').replaceAll(BETWEEN_DIGITS, '');
  if (/^\d{4,8}$/.test(digits)) return { kind: 'part-of-code', digits: digits.length };
  if (text.toLowerCase() === START_OVER) return { kind: 'new' };
  const vault = ABOUT_VAULT.exec(text);
  if (vault !== null) return { kind: 'vaults', address: vault[1] };
  const signature = pastedSignature(text);
  if (signature !== undefined) {
    return { kind: 'signature', signature, ...(mayBeKeys(text) && { mayBeKeys: true }) };
  }
  if (isAboutSignature(text)) return { kind: 'no-signature' };
  const [address, ...others] = addressesIn(text);
  if (others.length > 0) return { kind: 'several-addresses' };
  if (address !== undefined) return { kind: 'address', address };
  const isAddress = /^\w+$/.test(text) && (text.length > LONGEST_WORD || /^0x/i.test(text));
  return isAddress ? { kind: 'address', address: text } : { kind: 'unclear' };
}

/** Six digits that are called a code or among few other words, even typed twice or spelled out digit by digit. */
function codeIn(text: string): string | undefined {
  const plain = asciiDigits(text);
  const bare = plain.replaceAll(BETWEEN_DIGITS, '');
  if (/^\d{6}$/.test(bare)) return bare;
  const codes = plain.replaceAll(LONG_WORD, ' ').match(CODE) ?? [];
  const found = new Set(codes.map((each) => each.replaceAll(/\D/gu, '')));
  const beside = plain.replaceAll(CODE, '').replaceAll(TIMES, '');
  const isAlone = !/\d/.test(beside) && beside.length <= MOST_BESIDE;
  return found.size === 1 && (isAlone || CALLED_CODE.test(plain)) ? [...found][0] : undefined;
}
