import { UserError } from '#base';
import type { CommandSpec, OptionSpec } from '#command/command-spec';
import type { Texts } from '#command/texts/index';
import { isNone } from './none-words.ts';
import { isNumber } from './number-words.ts';
import { sortWords } from './sort-words.ts';
import { optionNamed, wordsIn } from './words.ts';

/**
 * What was typed into fields, one for each option, as it would be read on a line: people repeat the option's name
 * there, quote, and say of a bound what it is anyway: `score:5000`, `"5000"`, `at least 5000`, `<= 100`.
 */
export function readFields(
  command: CommandSpec,
  texts: Texts,
  fields: Readonly<Record<string, string>>,
): Record<string, string> {
  const read: Record<string, string> = { ...fields };
  for (const option of command.options) {
    const text = fields[option.name];
    if (text === undefined || isUsable(option, text, texts)) continue;
    // Only behind the name, `<=` is a sign of it.
    const lines = option.kind === 'integer' ? [text, `${option.name} ${text}`] : [text];
    const values = lines.map((each) => valueIn(each, option, command, texts));
    read[option.name] = values.find((each) => each !== undefined) ?? text;
  }
  return read;
}

/** Texts and badges may be anything, but for those that begin with the option's own name. */
function isUsable(option: OptionSpec, text: string, texts: Texts): boolean {
  if (option.kind === 'integer') return isNumber(text, option) || isNone(option, text);
  const isId = option.kind === 'badge' || (option.kind === 'text' && option.isWord === true);
  return !isId || !isNamed(option, text, texts);
}

function isNamed(option: OptionSpec, text: string, texts: Texts): boolean {
  const [first, second] = wordsIn(text);
  // A badge may be called so, an id isn't.
  const label = option.kind === 'text' && second !== undefined ? first?.body : undefined;
  return optionNamed([option], first?.head ?? label ?? '', texts) !== undefined;
}

function valueIn(
  line: string,
  option: OptionSpec,
  command: CommandSpec,
  texts: Texts,
): string | undefined {
  const { subcommands: _, ...rest } = command;
  try {
    return sortWords({ ...rest, options: [option] }, texts, line)[option.name];
  } catch (error) {
    // What isn't understood is refused as it was typed.
    if (error instanceof UserError) return undefined;
    throw error;
  }
}
