/** Word counts of BIP-39 and Algorand phrases. */
const PHRASES: readonly number[] = [12, 15, 18, 21, 24, 25];
/**
 * Word lengths as in BIP-39:
 * https://github.com/bitcoin/bips/blob/master/bip-0039/bip-0039-wordlists.md
 */
const WORD = /^(?:\p{L}{3,9}|[\p{sc=Han}\p{sc=Hira}\p{sc=Hang}]{1,8})$/u;
/** Word counts of SLIP-39 shares, and the lengths of its words. https://github.com/satoshilabs/slips/blob/master/slip-0039.md */
const SHARES: readonly number[] = [20, 33];
const WORD_OF_SHARE = /^[a-z]{4,8}$/i;
/** A label before a secret. */
const LABEL = /^[^:=]*(?:key|secret|seed|phrase|mnemonic|clave|semilla|frase)[^:=]*[:=]\s*/iu;
const KEY = /^(?:0x)?[0-9a-f]{64}$/i;
/** A key, or half of a signature with line breaks. */
const LONG_HEX = /^(?:0x)?[0-9a-f]{60,}$/i;
/** An explorer's URL with a transaction hash. */
const ADDRESS_OF_PAGE = /\w+:\/\/\S*/g;
/** BIP-32, with the prefixes of SLIP-132. */
const EXTENDED_KEY = /(?<!\w)[tuvxyz]prv[1-9A-HJ-NP-Za-km-z]{100,112}(?!\w)/i;
/** Chats may turn several dashes into one, and lines into one. */
const PEM = /\bBEGIN (?:[A-Z]+ ){0,3}PRIVATE KEY\b/i;
/** An Ethereum keystore file, protected only by a password. */
const KEY_FILE = /\bciphertext\W{1,6}[0-9a-f]{64}/i;

/**
 * Whether a text looks like a secret: a seed phrase in any language, even numbered; a private key
 * in hex, PEM, extended form (BIP-32) or a keystore file.
 */
export function looksSecret(text: string): boolean {
  const given = text.normalize('NFKC');
  return isPhraseOrFile(given) || hasLoneKey(given);
}

/**
 * Whether what looks like a secret may as well be public: 32 bytes in hex that nobody called a key, as
 * the hash of a transaction.
 */
export function mayBeHash(text: string): boolean {
  const given = text.normalize('NFKC');
  return !isPhraseOrFile(given) && !LABEL.test(given) && hasLoneKey(given);
}

/** Nothing else has one of these forms. */
function isPhraseOrFile(given: string): boolean {
  if (EXTENDED_KEY.test(given) || PEM.test(given) || KEY_FILE.test(given)) return true;
  const words = withoutLabel(given)
    .split(/[\s\d.,;:)-]+/u)
    .filter((each) => each !== '');
  if (PHRASES.includes(words.length) && words.every((each) => WORD.test(each))) return true;
  return SHARES.includes(words.length) && words.every((each) => WORD_OF_SHARE.test(each));
}

/** A private key in hex, and no other long hex. */
function hasLoneKey(given: string): boolean {
  const long = withoutLabel(given)
    .replaceAll(ADDRESS_OF_PAGE, '')
    .split(/[\s:=,;"'`{}]+/u)
    .filter((each) => LONG_HEX.test(each));
  return long.length === 1 && long.every((each) => KEY.test(each));
}

function withoutLabel(given: string): string {
  return given.replace(LABEL, '').replace(/[}\])\s]+$/, '');
}
