import { asciiDigits } from '#base';

/** Also in groups of three digits. */
const NUMBER = /^(?:\d{1,9}|\d{1,3}(?:[.,'’ ]\d{3}){1,2})$/;

/** As people type numbers: in any script, as `#100`, with a phone's full stop. */
function plain(text: string): string {
  return asciiDigits(text)
    .replaceAll(/\p{Cf}/gu, '')
    .replace(/^[#+]/, '')
    .replace(/[.,;]$/, '');
}

export function isNumber(text: string): boolean {
  return NUMBER.test(plain(text));
}

/** Whether a word may go on in the next ones: `5 000`. */
export function isFirstGroup(text: string): boolean {
  return /^\d{1,3}$/.test(plain(text));
}

/** Three digits. */
export function isGroup(text: string): boolean {
  return /^\d{3}$/.test(plain(text));
}

/** The number that a text is, also with separators between groups of three digits; otherwise NaN. */
export function wholeNumber(text: string): number {
  const digits = isNumber(text) ? plain(text).replaceAll(/\D/g, '') : '';
  return /^(?:0|[1-9]\d{0,8})$/.test(digits) ? Number(digits) : Number.NaN;
}
