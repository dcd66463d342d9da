/**
 * Characters that no text for people may contain, wherever it comes from: control characters, those
 * that change the reading direction, and lone surrogates. To be used with `search` or `replace`.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is found
export const UNFIT = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]|\p{Bidi_Control}|\p{Cs}/gu;

const SPACE = 0x20;
const DELETE = 0x7f;
/** The lowest that changes the reading direction. */
const ARABIC_LETTER_MARK = 0x61c;

/**
 * The first unfit character by what it is, for people: it can't be seen. Undefined if there is none.
 */
export function unfitCharacter(text: string): string | undefined {
  if (!mayHaveUnfit(text)) return undefined;
  const at = text.search(UNFIT);
  if (at === -1) return undefined;
  const code = text.charCodeAt(at);
  return `${kindOf(code)} (U+${code.toString(16).toUpperCase().padStart(4, '0')})`;
}

function kindOf(code: number): string {
  if (code < 0xa0) return 'a control character';
  if (code >= 0xd800 && code <= 0xdfff) return 'half a surrogate pair';
  return code === 0x2028 || code === 0x2029
    ? 'a line break'
    : 'a character that changes the reading direction';
}

/** Imports look at tens of millions of texts, nearly all of them plain. */
function mayHaveUnfit(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < SPACE || (code >= DELETE && code < 0xa0) || code >= ARABIC_LETTER_MARK) return true;
  }
  return false;
}
