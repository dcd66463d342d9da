import type { OptionSpec } from '#command/command-spec';
import type { Texts } from '#command/texts/index';
import { countNumberWords, isNumber } from './number-words.ts';
import { folded, optionNamed, type Word } from './words.ts';

type NumberOption = Extract<OptionSpec, { kind: 'integer' }>;

/** What people put before and behind an upper bound, which says what it is anyway. */
const BEFORE =
  /^(?:at most|up to|no more than|(?:a )?maximum(?: of)?|max|hasta|(?:un )?maximo(?: de)?|como (?:maximo|mucho)|no mas de)$/;
const BEHIND =
  /^(?:(?:or|and) (?:less|fewer|lower|below|under)|(?:o|y) (?:menos|menor|inferior)|at most|maximum|max|maximo|como (?:maximo|mucho))$/;
/** A smaller place is a better one. */
const BETTER = /^(?:(?:or|and) better|(?:o|y) mejor)$/;
const MOST_WORDS = 3;
/** `the first 100`, `los 100 primeros` */
const FIRST = /^(?:the )?(?:first|top)$|^(?:the|l[oa]s|(?:l[oa]s )?primer[oa]s)$/;

/**
 * Words without those around the number of an upper bound that only say that it's one, behind its name: anywhere else
 * the number may be for another option. `most: up to 9k`, `top first 100`
 */
export function withoutUpperWords(
  words: readonly Word[],
  options: readonly OptionSpec[],
  texts: Texts,
): readonly Word[] {
  const kept: Word[] = [];
  for (let at = 0; at < words.length; ) {
    const word = words[at] as Word;
    const option = upperBoundNamed(word, options, texts);
    kept.push(word);
    at += 1;
    if (option === undefined) continue;
    const colon = words[at];
    if (colon?.head === '' && colon.body === '') {
      kept.push(colon);
      at += 1;
    }
    // `most:up to 9k`: its value begins in the same word.
    const isWithin = word.head !== undefined && word.body !== '' && kept.at(-1) === word;
    const rest = [...(isWithin ? [{ ...word, head: undefined }] : []), ...words.slice(at)];
    const { before, number, behind } = numberIn(rest, option);
    if (before + behind === 0) continue;
    const [first, ...others] = number;
    if (isWithin && first !== undefined) {
      kept[kept.length - 1] = { ...first, from: word.from, head: word.head, sign: word.sign };
    } else kept.push(...number.slice(0, 1));
    kept.push(...others);
    at += before + number.length + behind - (isWithin ? 1 : 0);
  }
  return kept;
}

/** The number that words begin with, and how many words around it are such phrases. */
function numberIn(words: readonly Word[], option: NumberOption) {
  const places = option.unit === 'places' ? phraseAt(words, 0, FIRST) : 0;
  const before = Math.max(places, phraseAt(words, 0, BEFORE));
  const from = words.slice(before);
  const number = from.slice(0, countNumberWords(from, option));
  const text = number.map(({ body }) => body).join(' ');
  if (number[0]?.head !== undefined || !isNumber(text, option)) {
    return { before: 0, number: [], behind: 0 };
  }
  const end = before + number.length;
  const better = option.unit === 'places' ? phraseAt(words, end, BETTER) : 0;
  return { before, number, behind: Math.max(better, phraseAt(words, end, BEHIND)) };
}

function upperBoundNamed(
  { body, head, isQuoted }: Word,
  options: readonly OptionSpec[],
  texts: Texts,
): NumberOption | undefined {
  if (isQuoted && head === undefined) return undefined;
  const option = optionNamed(options, head ?? body, texts);
  return option?.kind === 'integer' && option.isAtMost === true ? option : undefined;
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
