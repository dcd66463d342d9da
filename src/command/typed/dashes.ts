import type { OptionSpec } from '#command/command-spec';
import type { Texts } from '#command/texts/index';
import { isNumber } from './number-words.ts';
import { choiceNamed, isLowerBound, nearestChoice, optionNamed, type Word } from './words.ts';

/** `top-100`, `tier—whale`: an option's name, the dash, and perhaps the value. */
const DASHED = /^(\p{L}{1,32})[-–—_](?=.)/u;
const NAME_DASHED = /^(\p{L}{1,32})[-–—]$/u;
const LONE_DASH = /^[-–—]+$/;
/** Not the hyphen, which makes a number negative. */
const DASH_FIRST = /^[–—](?=.)/;

/**
 * Words in which a dash between an option's name and what the option takes stands for the colon, as phones
 * write it: `tier—whale`, `tier — whale`, `tier —whale`.
 */
export function withDashes(
  words: readonly Word[],
  options: readonly OptionSpec[],
  texts: Texts,
): readonly Word[] {
  return words.map((word, i) => {
    if (word.head !== undefined || word.isQuoted) return word;
    const { body, bodyFrom, to } = word;
    const takes = (name: string, value: string) =>
      isValue(optionNamed(options, name, texts), value, texts);
    const before = nameIn(words[i - 1]);
    const after = words[i + 1]?.body ?? '';
    if (LONE_DASH.test(body)) {
      return takes(before, after) ? { ...word, head: '', bodyFrom: to, body: '' } : word;
    }
    if (DASH_FIRST.test(body)) {
      const value = body.slice(1);
      return takes(before, value)
        ? { ...word, head: '', bodyFrom: bodyFrom + 1, body: value }
        : word;
    }
    const [, name] = NAME_DASHED.exec(body) ?? [];
    if (name !== undefined) {
      const head = name.toLowerCase();
      return takes(name, after) ? { ...word, head, bodyFrom: to, body: '' } : word;
    }
    const [start = '', first = ''] = DASHED.exec(body) ?? [];
    const value = body.slice(start.length);
    return start !== '' && takes(first, value)
      ? { ...word, head: first.toLowerCase(), bodyFrom: bodyFrom + start.length, body: value }
      : word;
  });
}

/** A word that may be the name of an option. */
function nameIn(word: Word | undefined): string {
  return word === undefined || word.head !== undefined || word.isQuoted ? '' : word.body;
}

/** Whether an option takes it; of a tier also a misspelt one, so that the refusal can say what was meant. */
function isValue(option: OptionSpec | undefined, value: string, texts: Texts): boolean {
  if (option?.kind === 'integer') return isNumber(value, option);
  if (option?.kind !== 'choice') return false;
  if (choiceNamed(option, value, texts) !== undefined) return true;
  return isLowerBound(option) && nearestChoice(option, value, texts) !== undefined;
}
