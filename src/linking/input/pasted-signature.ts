import { base64Text, hexText, withoutQuotes } from '#base';
import { areBytes, listsIn, withBytesOfPython } from '#linking/challenge/key-pair-forms';
import { addressOf, withPrefixes } from '#wallet';
import { ofOwners, ownersIn } from './owners.ts';
import { ofParts, printedParts } from './signature-parts.ts';

/** Property names, in small letters and without separators, in which tools export a signature. */
const NAMES = ['signature', 'sig', 'firma', 'signedtransaction', 'stxn', 'blob', 'signatures'];
/** Contracts' signatures are long, and so may be the text beside one. */
const LONGEST = 40_000;
/** How deep the signature may be. */
const DEEPEST = 3;
/** The usual length, and the longest that a contract may need. */
const MOST_BYTES = 8_192;

type Fields = Readonly<Record<string, unknown>>;

/**
 * The signature in exported JSON: as a text, a list of bytes, a buffer, or `r`, `s` and `v`.
 * @returns encoded; undefined if the text isn't JSON, or has none
 */
function signatureInJson(text: string): string | undefined {
  if (text.length > LONGEST) return undefined;
  // Phones turn quotes into typographic ones, and chats break texts into lines.
  const straight = text.replaceAll(/[“”«»„]/gu, '"').replaceAll(/[\r\n\t]+/g, ' ');
  const start = straight.indexOf('{');
  const end = straight.lastIndexOf('}');
  if (start < 0 || end < start) return undefined;
  const isList = /^\s*\[.*\]\s*$/su.test(straight);
  const json = isList ? straight : straight.slice(start, end + 1);
  // Quotes of JSON within a text of JSON have a backslash each.
  const bare = /^\{\s*\\"/.test(json) ? textWithin(json) : json;
  try {
    const value: unknown = JSON.parse(bare);
    return signatureOf(value, DEEPEST) ?? onlySignatureOf(value) ?? wholeBytes(value);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** @throws SyntaxError */
function textWithin(json: string): string {
  return String(JSON.parse(`"${json}"`));
}

/** Under whatever name, such as the `result` of JSON-RPC: the only text that can be one. */
function onlySignatureOf(value: unknown): string | undefined {
  const texts = textsIn(value, DEEPEST).filter((each) => ENCODED.test(each) && isSignature(each));
  const [first, ...others] = new Set(texts.filter((each) => !isOurText(each)));
  return others.length === 0 ? first : undefined;
}

function textsIn(value: unknown, deepest: number): readonly string[] {
  if (typeof value === 'string') return [value];
  if (!isFields(value) || deepest === 0) return [];
  return Object.values(value).flatMap((each) => textsIn(each, deepest - 1));
}

function signatureOf(value: unknown, deepest: number): string | undefined {
  if (!isFields(value) || deepest === 0) return undefined;
  const { preparedSignature, confirmations } = value;
  const isJoined = typeof preparedSignature === 'string';
  const joined = isJoined ? preparedSignature : ofOwners(confirmations ?? value);
  const parts = joined ?? ofParts(value);
  if (parts !== undefined) return parts;
  const fields = Object.entries(value);
  const named = fields.filter(([name]) =>
    NAMES.includes(name.toLowerCase().replaceAll(/[_\s-]/g, '')),
  );
  for (const [, each] of named) {
    const found = encodedOf(Array.isArray(each) && each.length === 1 ? each[0] : each);
    if (found !== undefined) return found;
  }
  // Of a Safe's messages, the one with our text.
  for (const [, each] of fields.toSorted(
    ([, a], [, b]) => Number(hasOurText(b)) - Number(hasOurText(a)),
  )) {
    const found = signatureOf(each, deepest - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function hasOurText(value: unknown): boolean {
  return isFields(value) && textsIn(value, 1).some((each) => OUR_WORDS.test(each));
}

function encodedOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  const bytes = bytesOf(value);
  if (bytes !== undefined) return encodedBytes(bytes);
  return isFields(value) ? ofParts(value) : undefined;
}

/** A list, Node's buffer (`{type, data}`), or a typed array as JSON shows it (`{"0": …, "1": …}`). */
function bytesOf(value: unknown): Uint8Array | undefined {
  if (isFields(value) && !Array.isArray(value)) {
    return bytesOf(Array.isArray(value.data) ? value.data : listOf(value));
  }
  if (!Array.isArray(value) || value.length === 0 || value.length > MOST_BYTES) return undefined;
  const areWhole = value.every((each) => Number.isInteger(each));
  return areWhole && areBytes(value) ? Uint8Array.from(value) : undefined;
}

function listOf(fields: Fields): unknown {
  const places = Object.entries(fields).filter(([name]) => name !== 'length');
  const isList = places.every(([name], i) => name === String(i));
  return isList ? places.map(([, each]) => each) : undefined;
}

/** Bytes without a name count only if they're as many as a key's signature has. */
function wholeBytes(value: unknown): string | undefined {
  const bytes = bytesOf(value);
  return bytes?.length === 64 || bytes?.length === 65 ? encodedBytes(bytes) : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

/** A length above any address and below any key signature. */
const LONGEST_ADDRESS = 80;
/** Signatures in hex, base58, base64 and base64url. */
const ENCODED = /^[\w+/-]+={0,2}$/;
/** Shorter pieces of a signature that was broken into lines aren't told from words. */
const SHORTEST_PIECE = 20;
/** A signature by a key: in hex, base58 or base64. */
const WHOLE = /^(?:(?:0x)?[0-9a-f]{128,130}|[\w+/-]{86,88}={0,2})$/i;
/** A signature of Solana. */
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]{86,88}$/;
const BASE58_DIGITS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
/** The highest last byte of an ed25519 signature: its number is little-endian and barely above 2^252 at most. */
const HIGHEST_LAST = 0x10n;
const HEX = /^(?:0x)?[0-9a-f]+$/i;
/** Halves with 0x each, perhaps behind addresses, which are no piece of a signature. */
const HEX_PIECES = /^(?:0x[0-9a-f]+){2,}$/i;
const DIGITS_OF_ADDRESS = 40;
/** What a contract's owners submit who have approved on chain. */
const APPROVED = '0x';
/** What people type and scans read for that, but for what is a word in Cyrillic letters. */
const LIKE_APPROVED = /^[^\p{L}\p{N}]*(?:0[x×х]|[oо][x×])[^\p{L}\p{N}]*$/iu;
/** A label; keys are ruled out later. */
const LABEL =
  /(?:^|[\s{,;(])(?:sig|signature|signed|firma|key|secret|clave)(?:\s*\([^()]{1,20}\))?\s*[:=]/giu;
const OWN_LABEL = /(?:^|[\s{,;(])(?:sig|signature|firma)(?:\s*\([^()]{1,20}\))?\s*[:=]/iu;
/** The text that we give to sign, on any number of lines; Discord's fields have only one. */
const OUR_TEXT =
  /(?<!\S)\S+\s+wants\s+you\s+to\s+sign\s+in\s+with\s+your\s+\w+\s+account:.*?Request\s+ID:\s*\w+:(?:\d+?(?=0x[0-9a-f]{64})|\w+)/gsu;
const OUR_WORDS = /wants\s+you\s+to\s+sign\s+in\s+with\s+your/u;
/**
 * What was cut of a signature: more of hex, base58 or base64 than an address has, with dots if a phone cut it, or many bytes in a row, as numbers
 * or as Python prints them, or one of its words. Node itself shows only fifty of a buffer.
 */
const PARTS_OF_SIGNATURES = [
  /^(?:0x)?[0-9a-f]{48,}(?:…|\.{3})?$/iu,
  /^[\w+/-]{64,}={0,2}(?:…|\.{3})?$/u,
  /(?:\b(?:0x[0-9a-f]{1,2}|\d{1,3}|[0-9a-f]{2})[\s,;:-]{1,8}){24}/iu,
  /(?:\\(?:x[0-9a-f]{2}|[0-3][0-7]{2})[^\\]{0,16}(?:\\[^x0-3][^\\]{0,16})?){8}/iu,
  /\br["']?\s*[:=]\s*["']?(?:0x[0-9a-f]{40,}|\d{40,})/iu,
  // No address has the signs of base64, and paths are of words.
  /^(?=.*[+/=])(?=.*\d)(?=.*[a-z])(?=.*[A-Z])(?!.*[a-z]{7})[\w+/-]{20,63}={0,2}(?:…|\.{3})?$/u,
];
/** `-----BEGIN SIGNATURE-----`; chats may merge the dashes. */
const ARMOR = /[-—–]+\s*(?:BEGIN|END)(?:\s+[A-Z]+){1,4}\s*[-—–]+/gu;
/** Marks of emphasis and of quotations. */
const MARKUP = /\*+|^\s*[>|]+/gmu;
/** They part what stands on both sides of them. */
const TAG = /<\/?[a-z]{1,10}>/giu;
/** How shells and mail programs break a long line. */
const SOFT_BREAK = /(?<=[\w+/-])\\\s*\n|(?<=[0-9a-f]{20})=\r?\n/giu;
/** What a phone's list of commands leaves before a signature; base64 may begin with it, too, in groups of four. */
const SLASH =
  /^\/(?=(?:0x[0-9a-f]*|[0-9a-f]{128,}|[1-9A-HJ-NP-Za-km-z]{86,88}|(?:[\w+/-]{4})+(?:[\w+/-]{2}==|[\w+/-]{3}=))$)/i;
/** In addresses of pages, and in HTML. */
const ESCAPED: readonly (readonly [RegExp, string])[] = [
  [/%2B/gi, '+'],
  [/%2F/gi, '/'],
  [/%3D/gi, '='],
  [/&(?:quot|#39|lt|gt|nbsp);/gi, ' '],
];
/** What may be encoded, whatever stands around it: brackets, bars, commas, emoji. */
const ENCODED_RUN = /[\w+/-]+={0,2}/g;
/** A label in whatever language, right before what it names; base64 may begin with `/`, as no address does. */
const ANY_LABEL = /^(?!https?:)\p{L}{1,30}[:：](?=[\w+/-])/iu;

/**
 * Extracts a signature from what wallets, tools and people paste: with line breaks, quotes, a
 * label, in JSON, as a list of numbers, after the signer's address or the text that was signed.
 * @returns the encoded signature; undefined if there is none
 */
export function pastedSignature(text: string): string | undefined {
  if (LIKE_APPROVED.test(text)) return APPROVED;
  const given = withPrefixes(text.trim().replace(SLASH, ''));
  const found = encodedSignature(given);
  if (found === undefined || isApproved(found)) return found && APPROVED;
  if (!HEX_PIECES.test(found)) return found;
  const pieces = found.split(/0x/i).filter((each) => each.length !== DIGITS_OF_ADDRESS);
  return `0x${pieces.join('')}`;
}

function encodedSignature(text: string): string | undefined {
  const inJson = signatureInJson(text);
  if (inJson !== undefined) return signatureIn(withoutQuotes(inJson));
  const plain = withoutQuotes(withoutPython(text).replaceAll(SOFT_BREAK, '\n'))
    .replaceAll(MARKUP, '')
    .replaceAll(TAG, ' ');
  let beside = plain.replaceAll(OUR_TEXT, ' ').replaceAll(ARMOR, ' ').trim();
  const printed = printedBytes(beside) ?? printedParts(beside) ?? ownersIn(beside);
  if (printed !== undefined) return printed;
  for (const [escaped, meant] of ESCAPED) beside = beside.replaceAll(escaped, meant);
  const words = beside.split(/\s+/u).map(withoutBrackets);
  return (
    labelled(beside) ??
    signatureIn(beside) ??
    signatureAmong(words) ??
    signatureAmong(beside.match(ENCODED_RUN) ?? [])
  );
}

/**
 * Whether a text is about a signature, though it has none: it has the text to sign, a label with
 * something behind it, or part of one.
 */
export function isAboutSignature(text: string): boolean {
  const plain = withoutQuotes(text);
  return [OUR_WORDS, OWN_LABEL, ...PARTS_OF_SIGNATURES].some((each) => each.test(plain));
}

function labelled(text: string): string | undefined {
  for (const label of text.matchAll(LABEL)) {
    const behind = text.slice(label.index + label[0].length).replace(/[,;}].*$/s, '');
    const words = behind.split(/\s+/u).map(withoutBrackets);
    const found = signatureIn(behind, true) ?? signatureAmong(words);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * A signature and nothing else, but perhaps addresses beside it, such as the signer's.
 * @param isLabelled otherwise pieces that all look like addresses are that
 */
function signatureIn(text: string, isLabelled = false): string | undefined {
  const words = withoutTitle(
    text
      .trim()
      .replaceAll(/^[<([]+|[>)\].,;]+$/g, '')
      .split(/\s+/u),
  );
  const [first = '', ...others] = withoutClosing(words);
  const behind = others.join('');
  const whole = first + behind;
  if (!ENCODED.test(whole) || areWords(words)) return undefined;
  const addresses = words.filter((each) => addressOf(each) !== undefined);
  if (addresses.length === words.length && !isLabelled && !areHalves(words)) return undefined;
  const [lone = '', ...rest] = words.filter((each) => !addresses.includes(each));
  if (rest.length === 0 && isSignature(lone)) return once(lone);
  if (addressOf(first) !== undefined && isSignature(behind)) return behind;
  // Several addresses, with words between.
  if (addresses.length > 0 && !isOneLength(words) && !areHalves(words)) return undefined;
  // So are hashes and keys.
  if (words.some(isHexWord) && !words.every((each) => HEX.test(each))) return undefined;
  return isSignature(whole) ? once(whole) : undefined;
}

function isHexWord(word: string): boolean {
  return /^0x[0-9a-f]{40,}$/i.test(word);
}

/** Whether it's rather a sentence than the pieces of a signature, which mix cases and digits. */
function areWords(words: readonly string[]): boolean {
  return words.filter((each) => /^(?:[A-Z]?[a-z]+|[A-Z]+)$/.test(each)).length > words.length / 2;
}

/** What was pasted twice in a row; no contract has the same owner twice. */
function once(whole: string): string {
  const half = whole.slice(0, whole.length / 2);
  return isSignature(half) && half + half === whole ? half : whole;
}

/** Without short words before a whole signature, which can't be its beginning: a title, a command. */
function withoutTitle(words: readonly string[]): readonly string[] {
  const isTitle = (word: string, next: string | undefined) =>
    word.length < SHORTEST_PIECE && next !== undefined;
  const begins = words.findIndex((word, i) => !isTitle(word, words[i + 1]));
  const whole = words[begins] ?? '';
  // `0x` behind more than a title ends a sentence, or a list of bytes that was cut.
  const isBehindMore = isApproved(whole) && begins > 1;
  return isSignature(whole) && !isBehindMore ? words.slice(begins) : words;
}

/** Without short words behind a whole signature, which can't be its end: thanks, what a phone adds. */
function withoutClosing(words: readonly string[]): readonly string[] {
  const [first = '', ...others] = words;
  const areShort = others.every((each) => each.length < SHORTEST_PIECE);
  if (!areShort || !WHOLE.test(first)) return words;
  // Tools may put a space before the last byte in hex.
  return HEX.test(first) && others.every((each) => HEX.test(each)) ? words : [first];
}

/** Whether all parts but the last are equally long, like a text broken into lines. */
function isOneLength([first = '', ...others]: readonly string[]): boolean {
  const last = others.at(-1) ?? '';
  return (
    last.length <= first.length && others.slice(0, -1).every((each) => each.length === first.length)
  );
}

/** The only signature among words, whole or broken into lines of one length. */
function signatureAmong(words: readonly string[]): string | undefined {
  const found = new Set<string>();
  words.forEach((first, start) => {
    if (!ENCODED.test(first) || first.length < SHORTEST_PIECE) return;
    const halves = words.slice(start, start + 2);
    if (areHalves(halves)) found.add(halves.join(''));
    if (addressOf(first) !== undefined) return;
    if (words[start - 1]?.length === first.length && ENCODED.test(words[start - 1] ?? '')) return;
    let whole = first;
    for (const piece of words.slice(start + 1)) {
      if (first.length > LONGEST_ADDRESS || piece.length > first.length) break;
      if (!(isHexWord(first) ? HEX : ENCODED).test(piece)) break;
      whole += piece;
      if (piece.length < first.length) break;
    }
    if (isSignature(whole) && !isOurText(whole)) found.add(once(whole));
  });
  return found.size === 1 ? [...found][0] : undefined;
}

/**
 * Whether what looks like addresses of Solana is a signature in two pieces, two lines of one length if both look so:
 * together, two addresses are too large a number for one, or have a higher last byte, but for one pair in fifty.
 */
function areHalves([first = '', second = '', ...others]: readonly string[]): boolean {
  const whole = first + second;
  if (others.length > 0 || second === '' || !BASE58.test(whole)) return false;
  const areLike = [first, second].every((each) => addressOf(each) !== undefined);
  if (areLike && second.length > first.length) return false;
  const digits = [...whole].map((each) => BigInt(BASE58_DIGITS.indexOf(each)));
  const number = digits.reduce((sum, each) => sum * 58n + each, 0n);
  return number < 1n << 512n && (number & 0xffn) <= HIGHEST_LAST;
}

function withoutBrackets(word: string): string {
  return word.replaceAll(/^[<([{]+|[>)\]}.,;]+$/g, '').replace(ANY_LABEL, '');
}

/** Tools show the text that was signed in hex as well. */
function isOurText(encoded: string): boolean {
  if (!/^0x(?:[0-9a-f]{2})+$/i.test(encoded)) return false;
  const bytes = Uint8Array.from(encoded.slice(2).match(/../g) ?? [], (each) => parseInt(each, 16));
  return OUR_WORDS.test(new TextDecoder().decode(bytes));
}

/** Longer than an address, with letters and digits: what's written in words has no digits, other numbers no letters. */
function isSignature(text: string): boolean {
  if (isApproved(text)) return true;
  return text.length > LONGEST_ADDRESS && /\d/.test(text) && /[a-z]/i.test(text);
}

/** Phones may write it in capitals. */
function isApproved(text: string): boolean {
  return text.toLowerCase() === APPROVED;
}

/* Signatures as programs print them: bytes one by one. */

/** Base64 as Python prints it, `b'oB+/…'`; phones turn the quotes into typographic ones. */
const OF_PYTHON = /\bb['"‘’“”]([\w+/-]{43,}={0,2})['"‘’“”]/g;

export function withoutPython(text: string): string {
  const isOfKey = ({ length }: Uint8Array) => length === 64 || length === 65;
  const spelled = withBytesOfPython(text, (bytes) =>
    isOfKey(bytes) ? encodedBytes(bytes) : undefined,
  );
  return spelled.replaceAll(OF_PYTHON, '$1');
}

/** Encodes a signature as its chain reads it: 65 bytes are an Ethereum account's. */
function encodedBytes(bytes: Uint8Array): string {
  return bytes.length === 65 ? `0x${hexText(bytes)}` : base64Text(bytes);
}

/** @returns encoded; undefined unless there is one list of as many bytes as a key's signature has */
function printedBytes(text: string): string | undefined {
  // Of 65 in hex, the last 64 may look like a list as well.
  const longer = listsIn(text, 65);
  const [bytes, ...others] = longer.length > 0 ? longer : listsIn(text);
  return bytes === undefined || others.length > 0 ? undefined : encodedBytes(bytes);
}
