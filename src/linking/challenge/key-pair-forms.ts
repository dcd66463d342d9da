/** Longer texts are examined up to here: no tool prints a key behind that much. */
const MOST = 40_000;
/** Characters of 64 bytes: the fewest in base58, if they are zeros, and the most in hex with `0x`. */
const SHORTEST = 64;
const LONGEST = 130;
/** Shorter pieces of what was broken into lines aren't told from words. */
const SHORTEST_PIECE = 20;
const PIECES_MOST = 4;
/** Each takes a fraction of a millisecond to check. */
const CHECKED_MOST = 200;
/** The places that JSON writes before the numbers of a typed array, and how Java and Kotlin make bytes of numbers. */
const BESIDE = /"\d{1,2}"\s*:|\(byte\)|\.toByte\(\)/gi;
/** A number as programs in several languages write a byte; those of Java have a sign. */
const NUMBER = '(?:0x[0-9a-f]{1,2}|-?\\d{1,3})(?:_?u8|u)?';
/** So many numbers and no more. */
const numbers = (count: number) =>
  new RegExp(
    `(?<![\\w.-]|\\d[\\s,;]{1,8})${NUMBER}(?:[\\s,;]{1,8}${NUMBER}){${count - 1}}(?!\\w|[\\s,;]{1,8}-?\\d)`,
    'giu',
  );
const OF_COUNT = { 64: numbers(64), 65: numbers(65) };
const PAIR = '[0-9a-f]{2}';
/** `1b 2c …`, `1b, 2c, …`, `1b:2c:…` and `1B-2C-…`, as buffers, dumps and .NET show bytes. */
const pairs = (count: number) =>
  new RegExp(
    `(?<!\\w|\\b${PAIR}[\\s,:-]{1,3})${PAIR}(?:[\\s,:-]{1,3}${PAIR}){${count - 1}}(?!\\w|[\\s,:-]{1,3}${PAIR}\\b)`,
    'giu',
  );
const PAIRS_OF_COUNT = { 64: pairs(64), 65: pairs(65) };
/** A row of a dump: its place, up to sixteen bytes, and perhaps their characters. */
const ROW =
  /(?<!\w)[0-9a-f]{7,8}:?\s{1,3}((?:[0-9a-f]{2}){1,2}(?:[ \t]{1,3}(?:[0-9a-f]{2}){1,2}){0,15})(?:\s{1,60}\|.{0,16}\||\s{2,60}.{0,16}?)?(?=\s+[0-9a-f]{7,8}(?::|\s|$)|[ \t]*\n|\s*$)/gisu;
/** A dump of 64 bytes has at least this many rows. */
const ROWS_LEAST = 4;
const DIGITS_OF_ROW = 32;
/** Bytes as shells and C write them, in hex or octal. */
const ESCAPED_RUN = /(?:\\x[0-9a-f]{2}|\\[0-3]?[0-7]{1,2}){64,}/giu;
const ESCAPED = /\\x([0-9a-f]{2})|\\([0-3]?[0-7]{1,2})/giu;
/** Bytes as Python prints them, `b'\\x1b…'`, or Bash, `$'\033…'`, or within quotes alone; phones turn those into typographic ones. */
const OF_PYTHON =
  /(?<!\w)[b$]?(?:'((?:\\.|[^'\\])+)'|"((?:\\.|[^"\\])+)"|[‘’]((?:\\.|[^‘’\\])+)[‘’]|[“”]((?:\\.|[^“”\\])+)[“”])/gsu;
const ESCAPES: Readonly<Record<string, number>> = {
  ...{ n: 10, r: 13, t: 9, a: 7, b: 8, e: 27, E: 27, f: 12, v: 11 },
};

/** What may be 64 bytes in hex, base58 or base64 within a text, also broken into lines. */
export function encodedIn(text: string): readonly string[] {
  const given = text.slice(0, MOST);
  const found = new Set([...words(given, /[^\w+/=-]+/), ...words(given, /[\W_]+/)]);
  return [...found].slice(0, CHECKED_MOST);
}

/** Words that may be 64 bytes, also of several pieces. */
function words(text: string, separator: RegExp): readonly string[] {
  const all = text.split(separator);
  const found: string[] = [];
  all.forEach((_, start) => {
    let whole = '';
    for (const piece of all.slice(start, start + PIECES_MOST)) {
      whole += piece;
      if (whole.length > LONGEST) break;
      if (whole.length >= SHORTEST) found.push(whole);
      if (piece.length < SHORTEST_PIECE) break;
    }
  });
  return found;
}

/** Lists of so many bytes, as numbers or each in hex. */
export function listsIn(text: string, count: keyof typeof OF_COUNT = 64): readonly Uint8Array[] {
  const given = withoutDump(text.slice(0, MOST));
  // Code is indented, however deep.
  const plain = given.replaceAll(BESIDE, ' ').replaceAll(/\s+/g, ' ');
  const lists = plain.match(OF_COUNT[count]) ?? [];
  const dumps = lists.length === 0 ? (plain.match(PAIRS_OF_COUNT[count]) ?? []) : [];
  const bytes = dumps.map((each) =>
    each.split(/[\s,:-]+/u).map((pair) => Number.parseInt(pair, 16)),
  );
  const literals: Uint8Array[] = [];
  withBytesOfPython(given, (each) => {
    if (each.length === count) literals.push(each);
    return undefined;
  });
  return [...literals, ...bytes.map((each) => Uint8Array.from(each)), ...numbersIn(lists)];
}

function numbersIn(lists: readonly string[]): readonly Uint8Array[] {
  return lists
    .map((each) => each.split(/[\s,;]+/).map((number) => Number(number.replace(/_?u8?$/i, ''))))
    .filter(areBytes)
    .map((numbers) => Uint8Array.from(numbers));
}

/** With or without a sign, as `Uint8Array` takes them. */
export function areBytes(numbers: readonly number[]): boolean {
  const most = numbers.some((each) => each < 0) ? 127 : 255;
  return numbers.every((each) => each >= -128 && each <= most);
}

/**
 * The bytes alone of what `xxd`, `hexdump -C` or `od` print: without the place at the start of each row and the
 * characters at its end, also where a chat has joined the rows to one line.
 */
function withoutDump(text: string): string {
  const plain = text.replaceAll(ESCAPED_RUN, (run) => pairsOf(run));
  // Characters at the end of a row may look like bytes.
  const rows = [...plain.matchAll(ROW)].map(([, row = '']) =>
    row.replaceAll(/\s/g, '').slice(0, DIGITS_OF_ROW),
  );
  if (rows.length < ROWS_LEAST) return plain;
  return rows.join('').replaceAll(/../g, '$& ').trim();
}

type Made = (bytes: Uint8Array) => string | undefined;

function pairsOf(escaped: string): string {
  return escaped.replaceAll(ESCAPED, (_, hex: string | undefined, octal = '') => {
    return ` ${hex ?? Number.parseInt(octal, 8).toString(16).padStart(2, '0')}`;
  });
}

/** Replaces bytes that Python or a shell printed by what a function makes of them, and leaves those that it makes nothing of. */
export function withBytesOfPython(text: string, made: Made): string {
  if (!/\\[x0-7]/.test(text)) return text;
  return text.replaceAll(OF_PYTHON, (whole, ...inner: (string | undefined)[]) => {
    const literal = inner.slice(0, 4).find((each) => each !== undefined) ?? '';
    const bytes = [...literal.matchAll(/\\x([0-9a-f]{2})|\\([0-3]?[0-7]{1,2})|\\(.)|(.)/gisu)].map(
      ([, hex, octal, escaped, plain]) => {
        if (hex !== undefined) return Number.parseInt(hex, 16);
        if (octal !== undefined) return Number.parseInt(octal, 8);
        return ESCAPES[escaped ?? ''] ?? (escaped ?? plain ?? '').codePointAt(0) ?? 0;
      },
    );
    return bytes.every((each) => each < 256) ? (made(Uint8Array.from(bytes)) ?? whole) : whole;
  });
}
