/** The zero digits of scripts with their own digits: Arabic, Persian, Devanagari, Bengali, Thai, wide. */
const ZEROS: readonly number[] = [0x0660, 0x06f0, 0x0966, 0x09e6, 0x0e50, 0xff10];

function asAscii(digit: string): string {
  const point = digit.codePointAt(0) ?? 0;
  const zero = ZEROS.find((each) => each <= point && point < each + 10);
  return zero === undefined ? digit : String(point - zero);
}

/** `1️⃣`, with or without the selector that makes it colourful. */
const KEYCAP = /(?<=\p{Nd})\uFE0F?\u20E3/gu;

/** A text with the digits of all scripts, and those on keycaps, as 0 to 9. */
export function asciiDigits(text: string): string {
  return text.replaceAll(KEYCAP, '').replaceAll(/\p{Nd}/gu, asAscii);
}
