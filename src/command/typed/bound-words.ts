import type { OptionSpec } from '#command/command-spec';
import type { Texts } from '#command/texts/index';
import { isNumber, isUnit } from './number-words.ts';
import { phraseAt } from './upper-bounds.ts';
import { choiceNamed, isLowerBound, optionNamed, type Word } from './words.ts';

/** What people put before and behind a lower bound, which says what it is anyway. */
const BEFORE =
  /^(?:at least|a minimum of|from|starting (?:at|from)|al menos|como minimo|desde|a partir de|minimum|minimo|min)$/;
const BEHIND =
  /^(?:(?:or|and) (?:more|higher|better|above|over|up)|(?:o|y) (?:mas|mayor|superior|mejor|arriba|mas alto)|para arriba|minimum|minimo|min)$/;

/**
 * Words without those around a tier or a number that only say that it's a lower bound: `at least whale`, `5000 points
 * or more`, `ballena o mayor`. Behind the name of anything else, as in `most at least 200` or `grace 90 min`, they stay.
 */
export function withoutBoundWords(
  words: readonly Word[],
  options: readonly OptionSpec[],
  texts: Texts,
): readonly Word[] {
  const bounds = options.filter(isLowerBound);
  const isBound = (word: Word | undefined) =>
    word !== undefined && bounds.some((each) => isValue(each, word.body, texts));
  const isTier = (word: Word | undefined) =>
    bounds.some((each) => each.kind === 'choice' && isValue(each, word?.body ?? '', texts));
  const isOther = (name: Word | undefined) => {
    const option = name && optionNamed(options, name.head || name.body, texts);
    return option?.kind === 'integer' && !isLowerBound(option);
  };
  const kept: Word[] = [];
  for (let at = 0; at < words.length; ) {
    const last = kept.at(-1);
    const isBehind = isBound(last) && (isTier(last) || !isOther(nameOfNumber(kept, bounds)));
    const behind = isBehind ? phraseAt(words, at, BEHIND) : 0;
    // `from` may be an option of its own.
    const isOption = optionNamed(options, words[at]?.body ?? '', texts) !== undefined;
    const before = isOption ? 0 : phraseAt(words, at, BEFORE);
    const next = words[at + before];
    const isBefore = isBound(next) && (isTier(next) || !isOther(withoutColon(kept).at(-1)));
    const count = isBefore ? before || behind : behind;
    if (count === 0) kept.push(words[at] as Word);
    at += Math.max(1, count);
  }
  return kept;
}

function isValue(option: OptionSpec, word: string, texts: Texts): boolean {
  if (option.kind === 'choice') return choiceNamed(option, word, texts) !== undefined;
  return option.kind === 'integer' && (isNumber(word, option) || isUnit(word, option));
}

/** What names the number that words end with, also in groups of digits, and with its unit: `most 5 000 points`. */
function nameOfNumber(words: readonly Word[], bounds: readonly OptionSpec[]): Word | undefined {
  const isOfUnit = (word: string) =>
    bounds.some((each) => each.kind === 'integer' && isUnit(word, each));
  let at = words.length - 1;
  if (isOfUnit(words[at]?.body ?? '')) at -= 1;
  while (/^\d{3}$/.test(words[at]?.body ?? '') && /^\d{1,3}$/.test(words[at - 1]?.body ?? '')) {
    at -= 1;
  }
  const number = words[at];
  if (number?.head !== undefined && number.head !== '') return number;
  return withoutColon(words.slice(0, Math.max(0, at))).at(-1);
}

/** `most : 5000` has its colon apart. */
function withoutColon(words: readonly Word[]): readonly Word[] {
  const last = words.at(-1);
  return last?.head === '' && last.body === '' ? words.slice(0, -1) : words;
}
