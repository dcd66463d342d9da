import type { OptionSpec } from '#command/command-spec';
import type { Texts } from '#command/texts/index';
import { countNumberWords, isMeasure, isUnit, wholeNumber } from './number-words.ts';
import { phraseAt } from './upper-bounds.ts';
import { folded, isLowerBound, isUpperBound, optionNamed, type Word } from './words.ts';

type NumberOption = Extract<OptionSpec, { kind: 'integer' }>;

const MORE_THAN =
  /^(?:(?:more|greater|higher) than|over|above|mas de|(?:mayor|superior) (?:que|de|a)|por encima de)$/;
const LESS_THAN = /^(?:(?:less|fewer|lower) than|under|menos de|(?:menor|inferior) (?:que|de|a))$/;
/** `no more than` is the opposite. */
const NOT = /^(?:no|not|nor|never|ni|nunca|isn['’]?t|without|sin)$/;

/**
 * Words with the whole number next to one that a bound excludes, in its place: `more than 5000` is 5001 of what has
 * a lower bound, `less than 5000` is 4999 of an upper one. Without a name before it, its unit may say which it is, as
 * may that there's only one; anything else stays as it was typed.
 */
export function withStrictBounds(
  words: readonly Word[],
  options: readonly OptionSpec[],
  texts: Texts,
): readonly Word[] {
  const numbers = options.filter((each) => each.kind === 'integer');
  const kept: Word[] = [];
  const apart = words.flatMap((each) => withNameApart(each, numbers, texts));
  for (let at = 0; at < apart.length; ) {
    const found = strictAt(apart, at, kept, numbers, texts);
    kept.push(found?.word ?? (apart[at] as Word));
    at += found?.count ?? 1;
  }
  return kept;
}

/** `score:more` of `score:more than 5000` as two words. */
function withNameApart(
  word: Word,
  numbers: readonly NumberOption[],
  texts: Texts,
): readonly Word[] {
  const { head, body, isQuoted, sign, bodyFrom } = word;
  const isName = head !== undefined && optionNamed(numbers, head, texts) !== undefined;
  if (!isName || isQuoted || sign !== undefined || !/^\p{L}+$/u.test(body)) return [word];
  const value = { ...word, from: bodyFrom, head: undefined };
  return isPhraseBegun(body) ? [{ ...word, to: bodyFrom, body: '' }, value] : [word];
}

/** Whether a word begins a phrase of a bound, here or of those that include their number. */
function isPhraseBegun(word: string): boolean {
  return /^(?:more|greater|higher|over|above|mas|mayor|superior|por|less|fewer|lower|under|menos|menor|inferior|at|al)$/.test(
    folded(word),
  );
}

function strictAt(
  words: readonly Word[],
  at: number,
  before: readonly Word[],
  numbers: readonly NumberOption[],
  texts: Texts,
): { readonly word: Word; readonly count: number } | undefined {
  const more = phraseAt(words, at, MORE_THAN);
  const said = more || phraseAt(words, at, LESS_THAN);
  const last = withoutColon(before).at(-1);
  if (said === 0 || (last !== undefined && NOT.test(folded(last.body)))) return undefined;
  const named = last === undefined ? undefined : nameWithoutValue(last, numbers, texts);
  const fits = more > 0 ? isLowerBound : isUpperBound;
  const found = (named === undefined ? numbers : [named]).filter(fits).flatMap((option) => {
    return numberAt(words.slice(at + said), option, numbers) ?? [];
  });
  const sure = found.filter(({ hasUnit }) => hasUnit);
  const [meant, ...others] = sure.length > 0 ? sure : found;
  if (meant === undefined || others.length > 0) return undefined;
  const { option, value, count } = meant;
  const word = {
    ...(words[at] as Word),
    to: (words[at + said + count - 1] as Word).to,
    head: named === undefined ? option.name : undefined,
    body: String(more > 0 ? value + 1 : value - 1),
  };
  return { word, count: said + count };
}

function nameWithoutValue(
  { head, body, isQuoted }: Word,
  numbers: readonly NumberOption[],
  texts: Texts,
): NumberOption | undefined {
  if (isQuoted || (head !== undefined && body !== '')) return undefined;
  const found = optionNamed(numbers, head ?? body, texts);
  return numbers.find((each) => each === found);
}

/** The number that words begin with, unless it counts what another option does: `more than 24 hours`. */
function numberAt(words: readonly Word[], option: NumberOption, numbers: readonly NumberOption[]) {
  if (words.length === 0) return undefined;
  const count = countNumberWords(words, option);
  const number = words.slice(0, count);
  if (number.some(({ head, isQuoted }) => head !== undefined || isQuoted)) return undefined;
  const value = wholeNumber(number.map(({ body }) => body).join(' '), option);
  const behind = words[count]?.head === undefined ? (words[count]?.body ?? '') : '';
  if (Number.isNaN(value) || value < 1) return undefined;
  if (numbers.some((each) => isMeasure(behind, each))) return undefined;
  return { option, value, count, hasUnit: isUnit(number.at(-1)?.body ?? '', option) };
}

/** `most : 5000` has its colon apart. */
function withoutColon(words: readonly Word[]): readonly Word[] {
  const last = words.at(-1);
  return last?.head === '' && last.body === '' ? words.slice(0, -1) : words;
}
