import type { OptionSpec } from '#command/command-spec';
import type { Texts } from '#command/texts/index';
import { isNumber, isUnit } from './number-words.ts';
import { choiceNamed, folded, isLowerBound, type Word } from './words.ts';

/** What people put before and behind a lower bound, which says what it is anyway. */
const BEFORE = /^(?:at least|a minimum of|al menos|como minimo|minimum|minimo|min)$/;
const BEHIND =
  /^(?:(?:or|and) (?:more|higher|better|above|over|up)|(?:o|y) (?:mas|mayor|superior|mejor|arriba|mas alto)|para arriba|minimum|minimo|min)$/;
const MOST_WORDS = 3;

/**
 * Words without those around a tier or a number that only say that it's a lower bound: `at least whale`, `5000 points
 * or more`, `ballena o mayor`.
 */
export function withoutBoundWords(
  words: readonly Word[],
  options: readonly OptionSpec[],
  texts: Texts,
): readonly Word[] {
  const bounds = options.filter(isLowerBound);
  const isBound = (word: Word | undefined) =>
    word !== undefined && bounds.some((each) => isValue(each, word.body, texts));
  const kept: Word[] = [];
  for (let at = 0; at < words.length; ) {
    const before = phraseAt(words, at, BEFORE);
    const behind = isBound(kept.at(-1)) ? phraseAt(words, at, BEHIND) : 0;
    const count = isBound(words[at + before]) ? before || behind : behind;
    if (count === 0) kept.push(words[at] as Word);
    at += Math.max(1, count);
  }
  return kept;
}

function isValue(option: OptionSpec, word: string, texts: Texts): boolean {
  if (option.kind === 'choice') return choiceNamed(option, word, texts) !== undefined;
  return option.kind === 'integer' && (isNumber(word, option) || isUnit(word, option));
}

/** How many words from there on are such a phrase. */
export function phraseAt(words: readonly Word[], at: number, phrase: RegExp): number {
  for (let count = MOST_WORDS; count > 0; count -= 1) {
    const some = words.slice(at, at + count);
    if (some.length < count || some.some(({ head, isQuoted }) => head !== undefined || isQuoted))
      continue;
    const said = some.map(({ body }) => folded(body.replace(/[.,;!]$/, ''))).join(' ');
    if (phrase.test(said)) return count;
  }
  return 0;
}
