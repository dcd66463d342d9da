import type { CommandSpec } from '#command/command-spec';
import type { Texts } from '#command/texts/index';
import {
  choiceNamed,
  type Mention,
  optionNamed,
  optionsFor,
  unquoted,
  type Word,
  wordsIn,
} from './words.ts';

/** The colon behind a name, or what stands for it. */
const COLON = /\s*[:=：]$/u;

/**
 * The words of a line, of which the first may be the action although it's written as options are: `wallets: sum`,
 * `panel: on`, `bar: @alice`. Where it has an option of its name, that's what it is: `language: es`.
 */
export function wordsOfLine(
  command: CommandSpec,
  texts: Texts,
  text: string,
  mentions: readonly Mention[],
): readonly Word[] {
  const words = withActionApart(wordsIn(text, mentions), command, texts, text, mentions);
  return words.flatMap((each) => unquoted(each, command.options, texts));
}

function withActionApart(
  words: readonly Word[],
  command: CommandSpec,
  texts: Texts,
  text: string,
  mentions: readonly Mention[],
): readonly Word[] {
  const [action] = command.options;
  const [word, ...others] = words;
  if (command.subcommands === undefined || action?.kind !== 'choice') return words;
  if (word?.head === undefined || word.sign !== undefined) return words;
  const { from, head, bodyFrom } = word;
  if (choiceNamed(action, head, texts) === undefined) return words;
  if (optionNamed(optionsFor(command, { [action.name]: head }, texts), head, texts)) return words;
  // `panel:#roles setup`: an option before its action.
  const isOption = optionNamed(command.options, head, texts) !== undefined;
  const isAction = ({ head: name, body }: Word) =>
    name === undefined && choiceNamed(action, body, texts) !== undefined;
  if (isOption && others.some(isAction)) return words;
  const body = text.slice(from, bodyFrom).replace(COLON, '');
  const rest = { sign: undefined, isQuoted: false, account: undefined };
  const apart: Word = { ...rest, from, to: bodyFrom, head: undefined, bodyFrom: from, body };
  return [apart, ...wordsIn(text, mentions, bodyFrom)];
}
