import { isolateRightToLeft } from '#base';

/**
 * Telegram links anything that looks like a mention, command, hashtag, cashtag, URL, email address,
 * phone or card number, even in messages with explicit entities. In text from strangers, tapping
 * `/ban_me` would send a command and `free-coins.example` would open a page. So we insert an invisible
 * word joiner into each of them. It's neither a letter nor valid in an address, it doesn't allow a line
 * break, and the text reads as before. Monospaced text stays unchanged: Telegram doesn't link it, and
 * users copy it.
 */
const JOINER = '\u2060';

/** `@name`, `#tag`, `$TAG`, `/command` and `http://`: broken after the sign. */
const SIGNS = /[@#$/＠＃＄／]/gu;
/** A dot followed by a character: `name.tld`. Between numbers, only `1.2.3.4` is broken. */
const DOTS = /(?<!\d)[.。．｡](?=\S)|[.。．｡](?=[^\s\d])/gu;
const FOUR_NUMBERS = /\d+(?:\.\d+){3,}/gu;
/** Seven or more digits with separators: a phone or card number. */
const DIGITS = /\d(?:[\s().-]{0,3}\d){6,}/gu;

/** Returns a text that reads the same but in which Telegram links nothing. */
export function defuseLinks(text: string): string {
  return isolateRightToLeft(
    text
      .replace(FOUR_NUMBERS, (numbers) => numbers.replaceAll('.', `.${JOINER}`))
      .replace(DOTS, `$&${JOINER}`)
      .replace(SIGNS, `$&${JOINER}`)
      .replace(DIGITS, broken),
  );
}

/** The joiner, if two texts would form a link together: `evil.` `com`. Otherwise empty. */
export function between(before: string, after: string): string {
  const address = /[.。．｡]$/u.test(before) && /^\S/u.test(after);
  const number = /\d[\s().-]*$/u.test(before) && /^[\s().-]*\d/u.test(after);
  return address || number ? JOINER : '';
}

/** Inserts a joiner after every three digits. */
function broken(digits: string): string {
  let seen = 0;
  return digits.replace(/\d/gu, (digit) => {
    seen += 1;
    return seen > 1 && seen % 3 === 1 ? JOINER + digit : digit;
  });
}

/** What Telegram leaves unchanged: printable ASCII without white space at either end. */
const EXACT = /^[!-~](?:[ -~\n]*[!-~])?$/;

/** Whether Telegram shows a text exactly as it is, safe to copy. */
export function isExact(text: string): boolean {
  return EXACT.test(text);
}
