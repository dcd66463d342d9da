import { sanitizeText, UserError } from '#base';
import type { OptionSpec } from '#command/command-spec';
import { optionName, type Texts } from '#command/texts/index';
import { choiceWords, folded, nearestChoice } from './words.ts';

/** Characters of a word that a refusal repeats. */
const SHOWN = 60;

/** What may stand behind a word. */
const END = /[\s.,;!:=：]+$/u;

/** A word as a refusal repeats it. */
export function shownWord(word: string): string {
  return sanitizeText(word, SHOWN);
}

/** What to say of a word that is none of an option's choices. */
export function notAChoice(
  option: Extract<OptionSpec, { kind: 'choice' }>,
  word: string,
  texts: Texts,
): UserError {
  const { beside } = option;
  if (beside?.words.includes(folded(word.replace(END, ''))) === true)
    return invalidParameter(beside.about(texts));
  const name = optionName(texts, option.name);
  const meant = nearestChoice(option, word, texts);
  const choices = choiceWords(option, texts).join(', ');
  return invalidParameter(texts.errors.notAChoice(name, choices, shownWord(word), meant));
}

/** What to say of a number that an option doesn't take, or of a word in its place. */
export function notInRange(
  { name, least, most, unit }: Extract<OptionSpec, { kind: 'integer' }>,
  word: string,
  texts: Texts,
): UserError {
  const { errors, number } = texts;
  const say = unit === 'hours' ? errors.notHours : errors.notInRange;
  const called = optionName(texts, name);
  return invalidParameter(say(called, number(least), number(most), shownWord(word)));
}

/** A refusal of what was typed. */
export function invalidParameter(message: string): UserError {
  return new UserError('invalid-parameter', message);
}
