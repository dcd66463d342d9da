import type { Command, OptionSpec } from '#core/command';
import { UserError } from '#core/errors';
import { pastedAddress } from '#core/pasted-address';
import { optionName, type Texts } from '#core/texts/index';
import type { Wallet, WalletParser } from '#core/wallet';

/** Longer than any address, to allow for a mistyped one or an explorer's URL. */
const LONGEST_WALLET = 120;
/** Longer than any address of a chat's uploads. */
const LONGEST_URL = 2_000;
/** Shorter than any address. */
const LONGER_THAN_NAMES = 30;

/** A value as passed to a command's `run`. */
type Value = Wallet | string | number;

/**
 * Parses arguments, from texts by option name.
 * @throws UserError `invalid-address` or `invalid-parameter` for a value that the option doesn't
 * accept
 */
export function readNamed(
  command: Command,
  texts: Texts,
  wallets: WalletParser,
  given: Readonly<Record<string, string>>,
): Record<string, Value | undefined> {
  const args: Record<string, Value | undefined> = {};
  for (const option of command.options) {
    const text = given[option.name]?.trim() ?? '';
    if (text !== '') args[option.name] = readValue(option, text, texts, wallets);
    else if (option.required) {
      throw new UserError(
        'invalid-parameter',
        texts.errors.missing(optionName(texts, option.name)),
      );
    }
  }
  return args;
}

/**
 * Assigns words to options in any order, as people type them in a chat: each word goes to the first
 * unused option that could accept it. The remaining words are a wallet's name, if the command takes
 * one.
 * @throws UserError `invalid-parameter` for a word that no option accepts
 */
export function sortWords(
  command: Command,
  texts: Texts,
  words: readonly string[],
): Record<string, string> {
  const given: Record<string, string> = {};
  const name: string[] = [];
  const wallet = command.options.find(({ kind }) => kind === 'wallet');
  for (const [index, word] of words.entries()) {
    const free = optionsFor(command, given, texts).filter(
      (option) => given[option.name] === undefined,
    );
    const named = namedValue(free, word, texts);
    if (named !== undefined) {
      given[named.option.name] = named.value;
      continue;
    }
    const option = free.find((each) => couldTake(each, word, texts));
    if (option === undefined) {
      // Pasted twice: same as once.
      if (wallet !== undefined && given[wallet.name] === word) continue;
      if (joinsName(word, name, free)) {
        name.push(word);
        continue;
      }
      throw new UserError('invalid-parameter', texts.errors.unexpected(word, command.name));
    }
    if (option.kind === 'text') {
      // A text option takes the rest of the line.
      given[option.name] = words.slice(index).join(' ');
      return given;
    }
    given[option.name] = word;
  }
  const named = command.options.find((each) => isFreeWallet(each, given));
  if (name.length === 0) return given;
  const [first = ''] = name;
  if (named !== undefined) return { ...given, [named.name]: name.join(' ') };
  throw new UserError('invalid-parameter', texts.errors.unexpected(first, command.name));
}

/** Those of the subcommand, once it's known. */
function optionsFor(
  { options, subcommands }: Command,
  given: Readonly<Record<string, string>>,
  texts: Texts,
): readonly OptionSpec[] {
  const [first] = options;
  const word = first === undefined ? undefined : given[first.name];
  if (subcommands === undefined || first?.kind !== 'choice' || word === undefined) return options;
  const names = subcommands.options[choiceNamed(first, word, texts) ?? ''];
  return names === undefined ? options : options.filter(({ name }) => names.includes(name));
}

/** Whether a word may belong to a display name, which may have several. */
function joinsName(word: string, name: readonly string[], free: readonly OptionSpec[]): boolean {
  if (!free.some((each) => each.kind === 'wallet')) return false;
  // A number is more likely a surplus argument than a name.
  if (name.length === 0 && /^\d+$/.test(word)) return false;
  return [...name, word].join(' ').length <= LONGEST_WALLET;
}

function isFreeWallet(option: OptionSpec, given: Readonly<Record<string, string>>): boolean {
  return option.kind === 'wallet' && given[option.name] === undefined;
}

/** `tier:whale`, by the option's name or its translation. */
function namedValue(
  free: readonly OptionSpec[],
  word: string,
  texts: Texts,
): { readonly option: OptionSpec; readonly value: string } | undefined {
  const colon = word.indexOf(':');
  const name = word.slice(0, colon).toLowerCase();
  const value = word.slice(colon + 1);
  const option = free.find((each) => each.name === name || optionName(texts, each.name) === name);
  return colon < 1 || value === '' || option === undefined ? undefined : { option, value };
}

function couldTake(option: OptionSpec, word: string, texts: Texts): boolean {
  switch (option.kind) {
    case 'choice':
      return choiceNamed(option, word, texts) !== undefined;
    case 'integer':
      return /^\d{1,9}$/.test(word);
    // An invalid address still goes here, because the parser's message says what's wrong with it.
    case 'wallet':
      return word.length > LONGER_THAN_NAMES && word.length <= LONGEST_WALLET;
    case 'text':
      return true;
    // Nobody types an id: the platform fills it in.
    case 'picture':
    case 'member':
    case 'role':
    case 'channel':
      return false;
  }
}

/** Finds a choice by its value or by its translated label, case-insensitively. */
function choiceNamed(
  option: Extract<OptionSpec, { kind: 'choice' }>,
  word: string,
  texts: Texts,
): string | undefined {
  const wanted = word.toLowerCase();
  const labelled = (choice: string) => option.label(choice, texts).toLowerCase() === wanted;
  return option.choices.find((each) => each === wanted) ?? option.choices.find(labelled);
}

function readValue(option: OptionSpec, text: string, texts: Texts, wallets: WalletParser): Value {
  const name = optionName(texts, option.name);
  switch (option.kind) {
    case 'wallet':
      return wallets.parse(pastedAddress(text));
    case 'choice': {
      const choice = choiceNamed(option, text, texts);
      if (choice !== undefined) return choice;
      throw new UserError(
        'invalid-parameter',
        texts.errors.notAChoice(name, option.choices.join(', ')),
      );
    }
    case 'integer': {
      const value = /^(0|[1-9]\d{0,8})$/.test(text) ? Number(text) : Number.NaN;
      if (value >= option.least && value <= option.most) return value;
      throw new UserError(
        'invalid-parameter',
        texts.errors.notInRange(name, texts.number(option.least), texts.number(option.most)),
      );
    }
    case 'member':
    case 'role':
    case 'channel': {
      if (/^-?[1-9]\d{0,19}$/.test(text)) return text;
      throw new UserError('invalid-parameter', texts.errors.notAMember(name));
    }
    case 'picture':
      return notLonger(text, LONGEST_URL, name, texts);
    case 'text':
      return notLonger(text, option.longest, name, texts);
  }
}

function notLonger(text: string, longest: number, name: string, texts: Texts): string {
  if (text.length <= longest) return text;
  throw new UserError('invalid-parameter', texts.errors.tooLong(name, texts.number(longest)));
}
