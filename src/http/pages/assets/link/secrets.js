import { withBytesOfPython } from './key-pair-forms.js';
import { CZECH } from './seed-words/czech.js';
import { ENGLISH } from './seed-words/english.js';
import { FRENCH } from './seed-words/french.js';
import { ITALIAN } from './seed-words/italian.js';
import { JAPANESE } from './seed-words/japanese.js';
import { KOREAN } from './seed-words/korean.js';
import { PORTUGUESE } from './seed-words/portuguese.js';
import { SHARE_WORDS } from './seed-words/shares.js';
import { SPANISH } from './seed-words/spanish.js';

/** Word counts of BIP-39 phrases and Algorand's. */
const PHRASES = [12, 15, 18, 21, 24, 25];
/** Those of the shortest. */
const FEWEST = 12;
const FEWEST_OF_SHARE = 20;
/** As in BIP-39's word lists: https://github.com/bitcoin/bips/blob/master/bip-0039/bip-0039-wordlists.md */
const WORD =
  /^(?:\p{Lu}\p{Ll}{2,8}|\p{Ll}{3,9}|\p{Lu}{3,9}|\p{Lo}{3,9}|[\p{sc=Han}\p{sc=Hira}\p{sc=Hang}]{1,8})$/u;
/** Characters of a list's longest word. */
const LONGEST_WORD = 12;
/** Word counts of SLIP-39 shares, and the lengths of its words. https://github.com/satoshilabs/slips/blob/master/slip-0039.md */
const SHARES = [20, 33];
const WORD_OF_SHARE = /^[a-z]{4,8}$/i;
/**
 * Lists of words, and how many of one list in a row, whatever is around them, nobody writes but as a secret.
 * The characters of Chinese phrases are common ones, which prose has in a row where spaces are between them.
 */
const LISTS = [
  ...[SPANISH, JAPANESE, FRENCH, ITALIAN, PORTUGUESE, CZECH, KOREAN].map((words) => ({
    words: new Set(words.map(withoutAccents)),
    fewest: FEWEST,
  })),
  { words: withShort(ENGLISH), fewest: FEWEST },
  { words: withShort(SHARE_WORDS), fewest: FEWEST_OF_SHARE },
];
/** A label in front of a secret. */
const LABEL =
  /^[^:=]*(?:key|secret|seed(?! round)|phrase|mnemonic|clave|semilla|frase|助记词|助記詞)[^:=]*[:=]\s*/iu;
/** Endings of ordinals, in English and Spanish, and the marks that make a digit a keycap. */
const NUMBERING = /\b\d+(?:st|nd|rd|th|[oa])\b|[\u{fe0f}\u{20e3}]/giu;
const KEY = /^(?:[0o]?x)?[0-9a-f]{64}$/i;
/** A key's bytes. Twice as many may be a signature; `hasKeyPair` tells whether they are a key. */
const BYTES = /^\W*(?:\d{1,3}\s*,\s*){31}\d{1,3}\W*$/;
/** A key, or half of a signature that was broken into lines. */
const LONG_HEX = /^(?:[0o]?x)?[0-9a-f]{60,}$/i;
const LONG_HEX_AMONG = /\w{60,}/g;
/** But for a command's name. */
const WORD_AMONG = /(?<![\p{L}/])\p{L}{2}/u;
/** What scans read for digits, of which a key has few. */
const MISREAD = 'oqilzsgt';
const MEANT = '00112597';
const MOST_MISREAD = 6;
/** What stands beside the halves of a signature, of which each looks like a key. */
const OF_HALVES = /\b(?:r|s|v|sig|signature|signed|firma)\b/i;
/** What a tool prints above a signature: the hash of what was signed. */
const HASH_SIGNED = /\b(?:hash|digest)["'\s]*[:=]\s*["']?(?:0x)?[0-9a-f]{64}\b/giu;
/** `pk` is short for a private key as well as for a public one; of 32 bytes, base64 alone is no address. */
const PRIVATE_OR_PUBLIC = /(?<![\w.])pk["']?\s*[:=]\s*["']?[\w+/]{43}=/i;
/** In base58 or base64. */
const SIGNATURE = /(?<![\w+/])[\w+/-]{86,88}(?![\w+/])/u;
/** A signature in base64, of which a part may look like one of the forms. */
const IN_BASE64 = /(?<![\w+/])(?=\w*[+/])[\w+/]{86,87}(?![\w+/])/g;
/** A URL, for example an explorer's with a transaction hash. */
const ADDRESS_OF_PAGE = /\b\w+:\/\/\S*/g;
/** Secrets that nothing else looks like. */
const FORMS = [
  /\b[tuvxyz]prv\w{100,112}\b/i,
  /\b(?=\w*[a-z])(?=\w*[A-Z])(?:(?:5[HJK]|9[1-3])[^\W0OIl_]{49}|(?:K[w-z]|L[1-5]|c[M-W])[^\W0OIl_]{50})\b/,
  /(?:nsec1|suiprivkey1|age-secret-key-1|-priv-0x)\w{40,}/i,
  /\bBEGIN (?:[A-Z]+ ){0,3}PRIVATE KEY\b/i,
  /\bciphertext\W{1,6}[0-9a-f]{64}/i,
  /\bsalt\W{1,6}[\w+/]{20,99}=/i,
  /\bms1(?:0|[2-9])[02-9ac-hj-np-z]{44,}\b/i,
  /\bur:(?:crypto-)?(?:seed|sskr|bip39|slip39)\/[\w/-]{16,}/i,
  /\b(?=\w*[a-z])6P[^\W0OIl_]{56}\b/,
  /\bS[A-Z2-7]{55}\b/,
];
/** A Solana key of 32 bytes, which looks like an address, or a longer one, or base64, or its bytes. */
const KEY_BYTES = String.raw`(?:\w{43}|[\w+/]{43}=|(?:\d+,\s*){31})`;
/**
 * Names of keys before one: what is private or secret, such as a wallet, may have a public address. The word alone is a
 * name where a line or a field begins with it, or it's what the rest is about, as in `wallet secret:`.
 */
const CALLED_KEY = [
  String.raw`(?:priv(?:ate)?|secret)[\w ]{0,20}key[\w\s()'’-]{0,30}?`,
  String.raw`(?:clave|llave|chave)s?[ _]?(?:privada|secreta)[\w\s()]{0,30}?`,
  String.raw`(?:^|[\n"'{_]|\bm[yi]\s|\w{32}\s)\s{0,9}(?:priv(?:ate?|ada)?|secret[oa]?)["']?(?:\s(?:is|es))?`,
  String.raw`(?<!\bkeep (?:it |this )?)\bsecret["']?\s*[:=]`,
  String.raw`(?<![\w.])sk["']?(?=\s*[:=])`,
].map((name) => new RegExp(String.raw`${name}\W{1,6}${KEY_BYTES}`, 'i'));

const NO_WORDS = new Set();

/**
 * Whether it looks like a secret: a seed phrase in any language, possibly numbered; a private key in hex, as
 * PEM, extended (BIP-32) or in a key file. Same code as `src/linking/challenge/secrets.ts`, so that a secret never
 * leaves the page.
 */
export function looksSecret(text, expected = NO_WORDS) {
  const given = text.normalize('NFKC');
  return isPhraseOrFile(given, expected) || hasKeys(given);
}

/**
 * Whether what looks like a secret may as well be public: 32 bytes in hex that nobody called a key, as
 * the hash of a transaction.
 */
export function mayBeHash(text) {
  const given = text.normalize('NFKC');
  return !isPhraseOrFile(given) && !LABEL.test(given) && hasKeys(given);
}

/** Nothing else has one of these forms. */
function isPhraseOrFile(given, expected = NO_WORDS) {
  const others = given.replaceAll(IN_BASE64, ' ');
  if (FORMS.some((form) => form.test(others))) return true;
  if (CALLED_KEY.some((form) => form.test(given))) return true;
  // Between them there may also be numbers, quotes, brackets, bullets, and what chats mark text with.
  const all = wordsIn(withoutLabel(given));
  const words = all.filter((each) => !expected.has(withoutAccents(each)));
  if (PHRASES.includes(words.length) && words.every((each) => WORD.test(each))) return true;
  if (SHARES.includes(words.length) && words.every((each) => WORD_OF_SHARE.test(each))) return true;
  return hasSeedWords(given);
}

/** As many words of one list in a row as the shortest phrase or share has, whatever stands before and behind them. */
function hasSeedWords(given) {
  const words = wordsIn(given.replaceAll(ADDRESS_OF_PAGE, ' ')).map(withoutAccents);
  return LISTS.some((list) => {
    let inARow = 0;
    const pieces = words.flatMap((word) => piecesOf(word, list.words));
    return pieces.some((word) => {
      inARow = list.words.has(word) ? inARow + 1 : 0;
      return inARow === list.fewest;
    });
  });
}

/**
 * The words of a list that were joined without anything between them, or what isn't joined. A field of one line may
 * join only the last word of each line with the first of the next.
 */
function piecesOf(word, words) {
  if (words.has(word)) return [word];
  /** By an end within the word: the last of the list's words that make up all before it. */
  const last = [''];
  for (let end = 1; end <= word.length; end++) {
    for (let start = Math.max(0, end - LONGEST_WORD); start < end; start++) {
      const piece = last[start] === undefined ? '' : word.slice(start, end);
      if (words.has(piece)) last[end] ??= piece;
    }
  }
  const pieces = [];
  for (let end = word.length; end > 0; ) {
    const piece = last[end];
    if (piece === undefined) return [word];
    pieces.unshift(piece);
    end -= piece.length;
  }
  return pieces;
}

/** As people type words: in small letters, without accents or marks of voiced sounds. */
function withoutAccents(word) {
  return word.toLowerCase().normalize('NFKD').replaceAll(/\p{M}/gu, '');
}

/** Words, whole and as their first four letters, which tell them apart and are all that steel plates have of them. */
function withShort(words) {
  return new Set(words.flatMap((each) => [each, each.slice(0, 4)]));
}

/** Private keys in hex, and no other long hex. */
function hasKeys(given) {
  const spelled = withBytesOfPython(given, (bytes) =>
    bytes.length === 32 ? hexOf(bytes) : undefined,
  );
  const labelled = withoutLabel(spelled);
  const hasSignature = SIGNATURE.test(labelled);
  const shown = hasSignature ? labelled.replaceAll(HASH_SIGNED, ' ') : labelled;
  const long = shown
    .split(/[\W_]+/)
    .map(withDigits)
    .filter((each) => LONG_HEX.test(each));
  // Without one, it may be written in groups, as some programs print it.
  const keys = long.length === 0 ? [withDigits(shown.replace(/0x|buffer|[\W_]/gi, ''))] : long;
  const areUncalled = !LABEL.test(spelled) && areHalves(keys, shown);
  if (keys.every((each) => KEY.test(each)) && !areUncalled) return true;
  return BYTES.test(shown) || (!hasSignature && PRIVATE_OR_PUBLIC.test(spelled));
}

/** Two keys by themselves may as well be a signature in two lines. */
function areHalves({ length }, shown) {
  const beside = shown.replaceAll(LONG_HEX_AMONG, ' ');
  return length > 1 && (OF_HALVES.test(beside) || (length === 2 && !WORD_AMONG.test(beside)));
}

function withDigits(word) {
  const misread = word.match(/[giloqstz]/gi)?.length ?? 0;
  if (misread === 0 || misread > MOST_MISREAD) return word;
  return word.replaceAll(/[giloqstz]/gi, (each) =>
    MEANT.charAt(MISREAD.indexOf(each.toLowerCase())),
  );
}

function hexOf(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Words of a text without what numbers them. */
function wordsIn(text) {
  const words = text.replaceAll(NUMBERING, ' ').split(/[^\p{L}\p{M}]+/u);
  return words.filter((each) => each !== '');
}

function withoutLabel(given) {
  return given
    .replaceAll(ADDRESS_OF_PAGE, '')
    .replace(LABEL, '')
    .replace(/[}\])\s]+$/, '');
}
