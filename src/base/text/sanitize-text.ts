/**
 * Makes text from strangers safe to show: composed (NFC), on one line, without invisible or
 * bidirectional control characters or stacked marks, and of bounded length. Escaping a platform's
 * formatting is up to its renderer.
 */

/**
 * Control and format characters (zero width, bidirectional, tags), lone surrogates, private use and
 * unassigned code points; and whatever else renders as nothing.
 */
const UNSEEN = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\u2800]`;
/** An emoji by itself: not a digit, a skin tone or half of a flag. */
const PICTURE = String.raw`[\p{Emoji}&&\p{Extended_Pictographic}]`;
/** Invisible characters that join several emoji into one, and are harmless only there. */
const GLUE = [
  // Between two pictures: families, professions. Only there does it hold a grapheme together (UAX
  // 29, GB11), so that truncation never leaves it at an end.
  String.raw`(?<=${PICTURE}[\ufe0f\p{Emoji_Modifier}]?)\u200d(?=${PICTURE})`,
  // After a picture that also has a text presentation, and in a keycap.
  String.raw`(?<=${PICTURE})\ufe0f`,
  String.raw`(?<=[0-9#*])\ufe0f(?=\u20e3)`,
  // The flags of England, Scotland and Wales, the only ones spelled in tags.
  String.raw`(?<=\u{1f3f4})\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}`,
].join('|');
const UNSEEN_OR_GLUE = new RegExp(`(${GLUE})|${UNSEEN}`, 'gv');
/** More marks than any script needs on one letter; more than that is abuse. */
const MARKS = /(\p{M}{3})\p{M}+/gu;
const SPACE = /[\s\p{Z}]+/gu;
/** What would combine with the text before it. */
const JOINS_LEFT = /^[ \p{M}\p{Grapheme_Extend}\p{Emoji_Modifier}]+/u;
/** Text that sanitizing wouldn't change: nearly all of it. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/;
/** Each of these is a grapheme of one column. */
const ASCII = /^[ -~]*$/;
/** Most code units per grapheme on average; a single grapheme has no bound of its own. */
const UNITS_PER_GRAPHEME = 16;

/**
 * The text, safe to show.
 * @param longest in graphemes, including an ellipsis; code units are at most 16 times as many
 */
export function sanitizeText(text: string, longest = 200): string {
  if (text.length <= longest && PLAIN.test(text)) return text;
  const most = longest * UNITS_PER_GRAPHEME;
  // Truncate first: the steps below cost more the longer the text is.
  const shown = text
    .slice(0, most)
    .normalize('NFC')
    .slice(0, most)
    .replace(SPACE, ' ')
    .replace(UNSEEN_OR_GLUE, (_, glue: string | undefined) => glue ?? '')
    // Removed characters may have separated marks from their letters, or spaces from each other.
    .normalize('NFC')
    .replace(MARKS, '$1')
    .replace(SPACE, ' ')
    .replace(JOINS_LEFT, '');
  return truncate(shown.trimEnd(), longest);
}

/** Nearly every text shows something in ASCII. */
const VISIBLE_ASCII = /[!-~]/;

/** Whether anything of the text remains to be seen once it is safe to show. */
export function hasVisibleText(text: string): boolean {
  return VISIBLE_ASCII.test(text) || sanitizeText(text) !== '';
}

let segmenter: Intl.Segmenter | undefined;

/** What readers take for one character each, one after the other. */
export function* graphemesOf(text: string): Generator<string, void> {
  // Not before it's needed: to make one takes a good part of a start, and most texts do without.
  segmenter ??= new Intl.Segmenter('und', { granularity: 'grapheme' });
  for (const { segment } of segmenter.segment(text)) yield segment;
}

/** At most `longest` graphemes, the last one an ellipsis if the text was truncated. */
export function truncate(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const kept: string[] = [];
  for (const segment of graphemesOf(text)) {
    if (kept.length === longest)
      return `${kept
        .slice(0, longest - 1)
        .join('')
        .trimEnd()}…`;
    kept.push(segment);
  }
  return text;
}

/** Text copied from a chat may have quotes, backticks and invisible characters around it. */
export function withoutQuotes(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/[\p{Cf}"'`“”‘’«»]/gu, '')
    .trim();
}

const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
/** With the marks on its last letter: many, such as Arabic vowels, belong to no script. */
const RIGHT_TO_LEFT_RUN = new RegExp(
  String.raw`${RIGHT_TO_LEFT.source}(?:[^\n]*${RIGHT_TO_LEFT.source})?\p{M}*`,
  'gu',
);

/**
 * Wraps every right-to-left part in an isolate, so that a name in Hebrew or Arabic doesn't reorder
 * the numbers around it.
 */
export function isolateRightToLeft(text: string): string {
  return RIGHT_TO_LEFT.test(text) ? text.replace(RIGHT_TO_LEFT_RUN, '\u2068$&\u2069') : text;
}

/**
 * Text from outside, safe to show within other text.
 * @param longest in graphemes
 */
export function safeText(text: string, longest = 200): string {
  return isolateRightToLeft(sanitizeText(text, longest));
}

/** Two columns wide in a monospaced font: East Asian wide forms and emoji. */
const WIDE =
  /^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])/u;

/** The text's width in columns of a monospaced font. */
export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let columns = 0;
  for (const segment of graphemesOf(text)) columns += WIDE.test(segment) ? 2 : 1;
  return columns;
}

/** Truncated to a number of columns, and padded to it on the left or the right. */
export function fitColumns(text: string, columns: number, align: 'left' | 'right'): string {
  let fitted = text;
  if (displayWidth(text) > columns) {
    fitted = '';
    let used = 0;
    for (const segment of graphemesOf(text)) {
      const width = displayWidth(segment);
      if (used + width > columns - 1) break;
      fitted += segment;
      used += width;
    }
    fitted = `${fitted.trimEnd()}…`;
  }
  const padding = ' '.repeat(Math.max(0, columns - displayWidth(fitted)));
  return align === 'left' ? fitted + padding : padding + fitted;
}

/**
 * Characters that no text for people may contain, wherever it comes from: control characters, those
 * that change the reading direction, and lone surrogates. To be used with `search` or `replace`.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is found
export const UNFIT = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]|\p{Bidi_Control}|\p{Cs}/gu;

const FIRST_VISIBLE = 0x20;
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
    if (code < FIRST_VISIBLE || (code >= DELETE && code < 0xa0) || code >= ARABIC_LETTER_MARK)
      return true;
  }
  return false;
}

const DIGIT = /^\p{Nd}$/u;

/** Unicode has each script's digits in a row from zero, and after nine at most the zero of another style. */
function asAscii(digit: string): string {
  const point = digit.codePointAt(0) ?? 0;
  let before = 0;
  while (DIGIT.test(String.fromCodePoint(point - before - 1))) before += 1;
  return String(before % 10);
}

/** `1️⃣`, with or without the selector that makes it colourful. */
const KEYCAP = /(?<=\p{Nd})\uFE0F?\u20E3/gu;

/** A text with the digits of all scripts, and those on keycaps, as 0 to 9. */
export function asciiDigits(text: string): string {
  return text.replaceAll(KEYCAP, '').replaceAll(/(?!\d)\p{Nd}/gu, asAscii);
}
