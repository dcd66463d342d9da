import type { MessageEntity } from 'grammy/types';

/*
 * What Telegram's servers and clients make active by themselves in a text, a little wider than they
 * do: any ending of letters counts as a top-level domain, any long number as a card or a phone.
 */
const LETTER = '\\p{L}\\p{N}_\u200c\u00b7';
const FORMS: readonly (readonly [string, RegExp])[] = [
  ['mention', /(?<![\p{L}\p{N}_])@[a-z0-9_]{2,32}/giu],
  ['command', /(?<![\p{L}\p{N}_/<>])\/[a-z0-9_]{1,64}(?![/<>])/giu],
  ['hashtag', new RegExp(`(?<![${LETTER}])#[${LETTER}]*\\p{L}`, 'gu')],
  ['cashtag', /(?<![\p{L}\p{N}_$])\$(?:1INCH|[A-Z]{1,8})(?![\p{L}\p{N}_$])/gu],
  ['address', /[\p{L}\p{N}_~-]\.[\p{L}\p{M}]{2,}/gu],
  ['address', /\b[a-z][a-z0-9+-]*:\/\/[\p{L}\p{N}]/giu],
  ['address', /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])/gu],
  ['mail', /[\p{L}\p{N}_.+-]@[\p{L}\p{N}]/gu],
  ['phone', /\+?\d(?:[ ().-]{0,2}\d){6,}/gu],
];

/** What Telegram would link, with its kind; it leaves monospaced parts alone. */
export function autoLinks(text: string, entities: readonly MessageEntity[] = []): string[] {
  const monospaced = entities.filter((each) => each.type === 'pre' || each.type === 'code');
  return FORMS.flatMap(([kind, form]) =>
    [...text.matchAll(form)]
      .filter(({ index, 0: match }) => {
        const end = index + match.length;
        return !monospaced.some((each) => each.offset < end && index < each.offset + each.length);
      })
      .map((match) => `${kind} ${match[0]}`),
  );
}
