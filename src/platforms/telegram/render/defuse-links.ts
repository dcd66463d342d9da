import { isolateRightToLeft } from '#core/sanitize-text';

/**
 * Telegram makes links of what looks like one even where entities are given explicitly: mentions,
 * commands, hashtags, cashtags, web and mail addresses, phone and card numbers. In text that
 * strangers wrote, a press on `/ban_me` would send a command and `free-coins.example` would open a
 * page. So an invisible word joiner goes where each of these is recognised by. It is neither a letter
 * nor allowed in an address, it prevents a line break instead of making one, and the text reads as
 * before. Monospaced text is left as it is: nothing is linked in there, and it is meant to be copied.
 */
const JOINER = '\u2060';

/** `@name`, `#tag`, `$TAG`, `/command` and `http://`: broken right behind the sign. */
const SIGNS = /[@#$/＠＃＄／]/gu;
/** A dot that something follows at once: `name.tld`. Between two numbers it is broken only in `1.2.3.4`. */
const DOTS = /(?<!\d)[.。．｡](?=\S)|[.。．｡](?=[^\s\d])/gu;
const FOUR_NUMBERS = /\d+(?:\.\d+){3,}/gu;
/** Seven digits or more, with what people put between them: a phone or card number. */
const DIGITS = /\d(?:[\s().-]{0,3}\d){6,}/gu;

/** The text, which reads as before, with nothing in it that Telegram would make active. */
export function defuseLinks(text: string): string {
  return isolateRightToLeft(
    text
      .replace(FOUR_NUMBERS, (numbers) => numbers.replaceAll('.', `.${JOINER}`))
      .replace(DOTS, `$&${JOINER}`)
      .replace(SIGNS, `$&${JOINER}`)
      .replace(DIGITS, broken),
  );
}

/** What goes between two pieces that are inert by themselves, but not put together: `evil.` `com`. */
export function between(before: string, after: string): string {
  const address = /[.。．｡]$/u.test(before) && /^\S/u.test(after);
  const number = /\d[\s().-]*$/u.test(before) && /^[\s().-]*\d/u.test(after);
  return address || number ? JOINER : '';
}

/** No more than three digits without a joiner. */
function broken(digits: string): string {
  let seen = 0;
  return digits.replace(/\d/gu, (digit) => {
    seen += 1;
    return seen > 1 && seen % 3 === 1 ? JOINER + digit : digit;
  });
}
