import type { CommandSpec, OptionSpec } from '#command/command-spec';
import { LANGUAGES, optionName, textsFor } from '#command/texts/index';
import { folded } from './words.ts';

/** The words that a command itself gives people to type, in any language: names of options, and their choices. */
export function ownWords({ options }: CommandSpec): ReadonlySet<string> {
  const texts = LANGUAGES.map((each) => textsFor(each));
  const names = options.flatMap(({ name }) => [
    name,
    ...texts.map((each) => optionName(each, name)),
  ]);
  return new Set([...names, ...options.flatMap(choicesOf)].flatMap(wordsOf));
}

function choicesOf(option: OptionSpec): readonly string[] {
  if (option.kind !== 'choice') return [];
  const { choices, label, also = {} } = option;
  const labels = LANGUAGES.flatMap((each) =>
    choices.map((choice) => label(choice, textsFor(each))),
  );
  return [...choices, ...labels, ...Object.values(also).flat()];
}

function wordsOf(text: string): readonly string[] {
  return folded(text).split(/[^\p{L}]+/u);
}
