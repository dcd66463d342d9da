import { sanitizeText, UserError } from '#base';
import type { CommandSpec, OptionSpec } from '#command/command-spec';
import { optionName, type Texts } from '#command/texts/index';
import { choiceNamed, choiceWords, folded, nearestChoice } from './words.ts';

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

/** What to send of a line that has more than whom it's about. */
export function aboutAlone({
  command,
  given,
  texts,
}: {
  readonly command: CommandSpec;
  readonly given: Readonly<Record<string, string>>;
  readonly texts: Texts;
}): string {
  const [first] = command.options;
  if (first?.kind !== 'choice' || first.alone === undefined) return '';
  const choice = choiceNamed(first, given[first.name] ?? '', texts);
  if (choice === undefined || !first.alone.choices.includes(choice)) return '';
  const member = command.options.find(({ kind }) => kind === 'member');
  const whom = given[member?.name ?? ''] ?? '';
  return first.alone.about(texts, `/${command.name} ${choice} ${whom}`.trim());
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
