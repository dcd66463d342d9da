import { asciiDigits } from '#base';
import type { OptionSpec } from '#command/command-spec';
import { LANGUAGES, type Texts, textsFor } from '#command/texts/index';
import { withoutEnd } from './sentence-end.ts';

type NumberOption = Pick<Extract<OptionSpec, { kind: 'integer' }>, 'unit' | 'isAtLeast'>;

/** Also in groups of three digits. */
const NUMBER = /^(?:\d{1,9}|\d{1,3}(?:[.,'’ ]\d{3}){1,2})$/;
/** `5k`, `1.5k` and, of points, `0.5m` */
const SHORT = /^(\d{1,5}(?:[.,]\d{1,2})?)([km])$/i;
/** Three digits behind a point may be thousands. */
const DECIMAL = /^(\d{1,5})[.,](\d{1,2})$/;
/** `1d12h`, `1 day and 12 hours` */
const TWO_TIMES = /^(\d{1,3}\s*\p{L}+)(?:\s*,\s*|\s+)?(?:(?:and|y)\s+)?(\d{1,3}\s*\p{L}+)$/iu;
/** `one day`, `una semana` */
const ONE = /^(?:an?|one|un[ao]?)\s+(?=\p{L})/iu;
/** `half a day`, `medio día`, `½ day` */
const HALF = /^(?:half|½|medi[oa])\s*(?:an?\s+)?(?=\p{L})/iu;
/** `a day and a half`, `2 días y medio` */
const AND_HALF = /^(?:(\d{1,3}|an?|one|un[ao]?)\s+)?(\p{L}+)\s+(?:and a half|y medi[oa])$/iu;
/** `2 and a half days`, `1½ days` */
const WITH_HALF = /^(\d{1,3}|one|un[ao]?)\s*(?:½|\s(?:and a half|y medi[oa])\s)\s*(?=\p{L})/iu;
const WITH_FRACTION = /^\d{1,3}\.5\s+(\p{L}+)$/u;
/** Words of the longest of those, and of two times. */
const TIME_WORDS = 5;
/** `100th`, `100.º` */
const ORDINAL = /(?<=\d)(?:st|nd|rd|th|\.?[ºª°])$/i;
const AT_LEAST = /^(?:>=|≥)\s*|\+$/g;

/** What stands for one of an option's unit, or for several, as people type them in either language. */
const UNITS: Readonly<
  Record<NonNullable<NumberOption['unit']>, readonly (readonly [RegExp, number])[]>
> = {
  hours: [
    [/^(?:h|hrs?|hours?|horas?)$/i, 1],
    [/^(?:d|days?|d[ií]as?)$/i, 24],
    [/^(?:w|wks?|weeks?|semanas?)$/i, 168],
  ],
  points: [
    [/^(?:p|pts?|points?|puntos?)$/i, 1],
    [/^mil$/i, 1_000],
    [/^(?:millions?|mill[oó]n(?:es)?)$/i, 1_000_000],
  ],
  places: [[/^(?:places?|positions?|puestos?|posici[oó]n(?:es)?|first|primer[oa]s)$/i, 1]],
};

/** Times that aren't whole hours, or have no certain number of them: the refusal names them with their number. */
const OTHER_TIMES =
  /^(?:s(?:ecs?)?|seconds?|segundos?|m(?:ins?)?|minutes?|minutos?|months?|mes(?:es)?|years?|a[nñ]os?)$/i;

/** The option that `sin plazo` is for, a value with the option's own name in it. */
export const GRACE = 'grace' satisfies keyof Texts['optionNames'];
const GRACE_NAMES = [...LANGUAGES.map((each) => textsFor(each).optionNames[GRACE]), 'gracia'];
const WITHOUT_GRACE = `(?:sin|no|without) (?:${GRACE_NAMES.join('|')})`;
export const NO_GRACE = new RegExp(`^${WITHOUT_GRACE}(?![\\p{L}\\p{N}:=：])`, 'iu');

/** What people type for no time at all. */
const NO_TIME = new RegExp(`^(?:none|no|off|zero|ning[uú]n[oa]?|nada|cero|${WITHOUT_GRACE})$`, 'i');

/** Whether a word says that there's no time to wait, where hours are asked for. */
export function isNoTime(text: string, option: NumberOption): boolean {
  return option.unit === 'hours' && NO_TIME.test(plain(text, option).normalize('NFC'));
}

/** As people type numbers: in any script, as `#100`, with a phone's full stop. */
function plain(text: string, { isAtLeast, unit }: NumberOption): string {
  const digits = asciiDigits(text)
    .replaceAll(/\p{Cf}/gu, '')
    .trim();
  const bare = isAtLeast === true ? digits.replaceAll(AT_LEAST, '') : digits;
  const typed = withoutEnd(bare.replace(/^[#+]/, ''));
  if (unit === 'places') return typed.replace(ORDINAL, '');
  return unit === 'hours' ? withHalf(typed).replace(ONE, '1 ') : typed;
}

/** Halves as a fraction: `2.5 days`. */
function withHalf(typed: string): string {
  const whole = (number: string | undefined) => (/^\d/.test(number ?? '') ? number : '1');
  return typed
    .replace(AND_HALF, (_, number, unit) => `${whole(number)}.5 ${unit}`)
    .replace(WITH_HALF, (_, number) => `${whole(number)}.5 `)
    .replace(HALF, '0.5 ');
}

/** How many of its unit a word is, such as 24 for `days`; undefined if it's none. */
function unitNamed(word: string, { unit }: NumberOption): number | undefined {
  if (unit === undefined) return undefined;
  const name = withoutEnd(word.normalize('NFC'));
  return UNITS[unit].find(([words]) => words.test(name))?.[1];
}

/** Whether a word is what the option counts: `points` behind a number. */
export function isUnit(word: string, option: NumberOption): boolean {
  return unitNamed(word, option) !== undefined;
}

/** Whether a word belongs to the value before it: a unit, or a time that isn't one. */
export function isMeasure(word: string, option: NumberOption): boolean {
  const isOther = option.unit === 'hours' && OTHER_TIMES.test(withoutEnd(word));
  return isOther || isUnit(word, option);
}

export function isNumber(text: string, option: NumberOption = {}): boolean {
  return !Number.isNaN(wholeNumber(text, option));
}

type Words = readonly { readonly head: string | undefined; readonly body: string }[];

/** How many words the number is that they begin with: `5 000`, as some write five thousand, and `24 hours`. */
export function countNumberWords(words: Words, option: NumberOption): number {
  const [first, ...others] = words;
  const ofTime = option.unit === 'hours' ? countTimeWords(words, option) : 0;
  if (ofTime > 0) return ofTime;
  const isGrouped = /^\d{1,3}$/.test(plain(first?.body ?? '', option));
  const isGroup = ({ head, body }: Words[number]) =>
    head === undefined && /^\d{3}$/.test(plain(body, {}));
  let count = 1;
  for (const each of isGrouped ? others.slice(0, 2) : []) {
    if (!isGroup(each)) break;
    count += 1;
  }
  const next = words[count];
  const goesOn = next?.head === undefined && isMeasure(next?.body ?? '', option);
  return goesOn ? count + 1 : count;
}

/** How many words a time is that has half of a unit, or two units. */
function countTimeWords(words: Words, option: NumberOption): number {
  for (let count = TIME_WORDS; count > 1; count -= 1) {
    const some = words.slice(0, count);
    if (some.length < count || some.slice(1).some(({ head }) => head !== undefined)) continue;
    const text = withoutEnd(some.map(({ body }) => body).join(' '));
    // Also half an hour, which is refused as a whole then.
    const [, unit = ''] = WITH_FRACTION.exec(withHalf(text)) ?? [];
    const isTwo = TWO_TIMES.test(text) && isNumber(text, option);
    if (isTwo || (withHalf(text) !== text && isMeasure(unit, option))) return count;
  }
  return 0;
}

/**
 * The number that a text is, also with separators between groups of three digits, and with what the option
 * counts: `24h`, `2 days`, `5000 points`, or none of it; otherwise NaN.
 */
export function wholeNumber(text: string, option: NumberOption = {}): number {
  if (isNoTime(text, option)) return 0;
  const typed = plain(text, option);
  const [, long, short] = (option.unit === 'hours' && TWO_TIMES.exec(typed)) || [];
  if (long !== undefined && short !== undefined) return sumOf(long, short, option);
  const [, figures = typed, word] = /^(.*?\d(?:k|m(?=\s))?)\s*(\p{L}+)$/iu.exec(typed) ?? [];
  const unit = word === undefined ? undefined : unitNamed(word, option);
  if (unit !== undefined) return times(figures, unit, option);
  const [, few, sign] = SHORT.exec(typed) ?? [];
  if (few !== undefined) {
    const isMillions = sign?.toLowerCase() === 'm';
    // Of hours, it may be minutes or months.
    if (isMillions && option.unit !== 'points') return Number.NaN;
    return times(few, isMillions ? 1_000_000 : 1_000, option);
  }
  const digits = NUMBER.test(typed) ? typed.replaceAll(/\D/g, '') : '';
  return /^(?:0|[1-9]\d{0,8})$/.test(digits) ? Number(digits) : Number.NaN;
}

/** So many of a unit, also a fraction of it that comes to a whole number. */
function times(figures: string, unit: number, option: NumberOption): number {
  const [, whole, part] = (unit > 1 && DECIMAL.exec(figures)) || [];
  if (whole === undefined || part === undefined) return unit * wholeNumber(figures, option);
  const product = (Number(whole + part) * unit) / 10 ** part.length;
  return Number.isInteger(product) ? product : Number.NaN;
}

/** Adds up two times: the longer unit first, then less than one of it. */
function sumOf(long: string, short: string, option: NumberOption): number {
  const unitOf = (text: string) => unitNamed(text.replace(/^\d+\s*/, ''), option) ?? Number.NaN;
  const rest = wholeNumber(short, option);
  const isInOrder = unitOf(long) > unitOf(short) && rest < unitOf(long);
  return isInOrder ? wholeNumber(long, option) + rest : Number.NaN;
}
