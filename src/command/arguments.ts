import { UserError } from '#base';
import { pastedAddress, type Wallet, type WalletParser } from '#wallet';
import type { CommandSpec, OptionSpec } from './command-spec.ts';
import { optionName, type Texts } from './texts/index.ts';
import { isNone, NONE } from './typed/none-words.ts';
import { isNumber, wholeNumber } from './typed/number-words.ts';
import { notAChoice, notInRange, shownWord } from './typed/refusals.ts';
import { sortWords } from './typed/sort-words.ts';
import { choiceNamed, choiceWords, optionNamed, wordsIn } from './typed/words.ts';

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

/** Longer than any address of a chat's uploads. */
const LONGEST_URL = 2_000;
/** An import allows a badge's name as many. */
const LONGEST_BADGE = 200;

/** A value as passed to a command's `run`; null to end what the option asked for. */
type Value = Wallet | string | number | null;

/**
 * Parses arguments, from texts by option name.
 * @throws UserError `invalid-address` or `invalid-parameter` for a value that the option doesn't
 * accept
 */
export function readNamed(
  command: CommandSpec,
  texts: Texts,
  wallets: WalletParser,
  given: Readonly<Record<string, string>>,
): Record<string, Value | undefined> {
  const args: Record<string, Value | undefined> = {};
  for (const option of command.options) {
    const text = given[option.name]?.trim() ?? '';
    if (text !== '') args[option.name] = readValue(option, text, texts, wallets);
    else if (option.required) {
      throw missing(option, command, texts);
    }
  }
  return args;
}

function missing(option: OptionSpec, command: CommandSpec, texts: Texts): UserError {
  const name = optionName(texts, option.name);
  if (option.kind !== 'choice') return invalid(texts.errors.missing(name, command.name));
  return invalid(texts.errors.missingChoice(name, choiceWords(option, texts).join(', ')));
}

function readValue(option: OptionSpec, text: string, texts: Texts, wallets: WalletParser): Value {
  const { errors } = texts;
  const name = optionName(texts, option.name);
  switch (option.kind) {
    case 'wallet':
      return readWallet(text, texts, wallets);
    case 'choice': {
      const choice = choiceNamed(option, text, texts);
      if (choice !== undefined) return choice;
      if (isNone(option, text)) return null;
      throw notAChoice(option, text, texts);
    }
    case 'integer': {
      const value = wholeNumber(text, option);
      if (value >= option.least && value <= option.most) return value;
      if (isNone(option, text)) return null;
      throw notInRange(option, text, texts);
    }
    case 'member':
    case 'role':
    case 'channel': {
      if (/^-?[1-9]\d{0,19}$/.test(text)) return text;
      throw invalid(errors.notAMember(name, shownWord(text)));
    }
    case 'picture':
      return notLonger(text, LONGEST_URL, name, texts);
    case 'badge':
      return text === NONE ? null : notLonger(text, LONGEST_BADGE, name, texts);
    case 'text':
      return notLonger(text, option.longest, name, texts);
  }
}

/** The parser's sentence says what's wrong; people also need to see with which word. */
function readWallet(text: string, texts: Texts, wallets: WalletParser): Wallet {
  try {
    return wallets.parse(pastedAddress(text));
  } catch (error) {
    if (!(error instanceof UserError) || error.code !== 'invalid-address') throw error;
    throw invalid(texts.errors.notUsable(shownWord(text), texts.errors.of(error)));
  }
}

function notLonger(text: string, longest: number, name: string, texts: Texts): string {
  if (text.length <= longest) return text;
  throw invalid(texts.errors.tooLong(name, texts.number(longest), shownWord(text)));
}

function invalid(message: string): UserError {
  return new UserError('invalid-parameter', message);
}
