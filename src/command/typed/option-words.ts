import { nearest } from '#base';
import type { CommandSpec, OptionSpec } from '#command/command-spec';
import { LANGUAGES, optionName, type Texts, textsFor } from '#command/texts/index';

type ChoiceOption = Extract<OptionSpec, { kind: 'choice' }>;

/** A word as it's compared: without case, accents, emoji and what nobody sees. */
export function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/[\p{M}\p{Cf}\p{Extended_Pictographic}]/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .trim()
    .toLowerCase();
}

/** The reader's language first, as a word may mean something else in another one. */
function languagesFor(texts: Texts): readonly Texts[] {
  const others = LANGUAGES.filter((each) => each !== texts.language);
  return [texts, ...others.map((each) => textsFor(each))];
}

/** Finds an option by its name: its own, or in any language. */
export function optionNamed(
  options: readonly OptionSpec[],
  word: string,
  texts: Texts,
): OptionSpec | undefined {
  const wanted = folded(word);
  if (wanted === '') return undefined;
  const own = options.find(({ name }) => name === wanted);
  if (own !== undefined) return own;
  for (const language of languagesFor(texts)) {
    const found = options.find(({ name }) => folded(optionName(language, name)) === wanted);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Finds a choice by its value, or by its label in any language. */
export function choiceNamed(option: ChoiceOption, word: string, texts: Texts): string | undefined {
  const wanted = folded(word);
  const own = option.choices.find((each) => folded(each) === wanted);
  if (own !== undefined) return own;
  for (const language of languagesFor(texts)) {
    const found = option.choices.find((each) => folded(option.label(each, language)) === wanted);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What to type for each choice: its label where that's a word of its own, or the value. */
export function choiceWords(option: ChoiceOption, texts: Texts): readonly string[] {
  return option.choices.map((each) => {
    const label = option.label(each, texts);
    return /\s/u.test(label) ? each : label.toLowerCase();
  });
}

/** The choice that was most likely meant. */
export function nearestChoice(
  option: ChoiceOption,
  word: string,
  texts: Texts,
): string | undefined {
  const labels = option.choices.flatMap((each) => [each, option.label(each, texts)]);
  return nearest(word, labels);
}

/** What a word that no option takes most likely was meant to be. */
export function nearestMeaning(
  options: readonly OptionSpec[],
  head: string | undefined,
  word: string,
  texts: Texts,
): string | undefined {
  if (head !== undefined && head !== '') {
    const names = options.flatMap(({ name }) => [name, optionName(texts, name)]);
    const name = nearest(head, names);
    return name === undefined ? undefined : `${name}:`;
  }
  for (const option of options) {
    const found = option.kind === 'choice' ? nearestChoice(option, word, texts) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The options of the subcommand, once it's known; before that, all. */
export function optionsFor(
  { options, subcommands }: CommandSpec,
  given: Readonly<Record<string, string>>,
  texts: Texts,
): readonly OptionSpec[] {
  const [first] = options;
  const word = first === undefined ? undefined : given[first.name];
  if (subcommands === undefined || first?.kind !== 'choice' || word === undefined) return options;
  const names = subcommands.options[choiceNamed(first, word, texts) ?? ''];
  return names === undefined ? options : options.filter(({ name }) => names.includes(name));
}
