import { UserError } from '#base';
import { type OptionSpec, sortWords } from '#command';
import { type Texts, textsFor } from '#command/texts';
import type { Command } from '#commands/answering';
import {
  FOR_AN_ADDRESS,
  type PageRequest,
  type PlaygroundAnswerer,
  readLine,
  type Sandbox,
} from './ask.ts';

/** A completion of what was typed. */
interface Completion {
  /** The resulting line. */
  readonly line: string;
  readonly label: string;
  readonly detail: string;
  /** Whether the line is complete; otherwise there's more to type. */
  readonly complete: boolean;
}

/** What fits above a phone's keyboard. */
const MOST = 8;

/** Completes a command's name, then the value being typed. */
export async function complete(
  answerer: PlaygroundAnswerer,
  request: PageRequest,
  sandbox?: Sandbox,
): Promise<Completion[]> {
  const text = 'text' in request.asked ? request.asked.text.trimStart() : '';
  const texts = textsFor(request.words.language);
  const open = answerer.commands.filter(
    ({ name, private: isPrivate }) => !isPrivate || sandbox?.commands.includes(name),
  );
  if (!/\s/.test(text)) {
    const commands = namesLike(text, open, texts);
    if (commands.length > 0 || text.startsWith('/')) return commands;
    // Not the start of a command: perhaps a name or address.
    return await wallets(answerer, request, text, forAddress(open));
  }
  const { command, rest } = readLine(text, open);
  if (command === undefined) return [];
  const values = rest === '' ? [] : rest.split(/\s+/);
  const typed = /\s$/.test(text) ? '' : (values.at(-1) ?? '');
  const settled = typed === '' ? values : values.slice(0, -1);
  const name = nameOfSeveralWords(command, texts, values);
  if (name !== undefined) return await wallets(answerer, request, name, { command, settled: [] });
  const free = freeOptions(command, texts, settled);
  const before = [`/${command.name}`, ...settled].join(' ');
  const found: Completion[] = [];
  for (const option of free) {
    if (option.kind === 'wallet') {
      found.push(...(await wallets(answerer, request, typed, { command, settled })));
    } else {
      const isNamed = command.subcommands !== undefined && option !== command.options[0];
      found.push(...choicesLike({ option, isNamed, sandbox }, typed, texts, before));
    }
  }
  return found.slice(0, MOST);
}

function namesLike(text: string, commands: readonly Command[], texts: Texts): Completion[] {
  const typed = text.replace(/^\//, '').toLowerCase();
  return commands
    .filter((command) => command.name.startsWith(typed))
    .slice(0, MOST)
    .map((command) => ({
      line: `/${command.name}${command.options.length > 0 ? ' ' : ''}`,
      label: `/${command.name}`,
      detail: command.about(texts),
      complete: command.options.length === 0,
    }));
}

/** Options without a value yet; none if the input already doesn't fit. */
function freeOptions(command: Command, texts: Texts, words: readonly string[]): OptionSpec[] {
  try {
    const given = sortWords(command, texts, words.join(' '));
    const action = given[command.options[0]?.name ?? ''] ?? '';
    const taken = command.subcommands?.options[action];
    return command.options.filter(
      ({ name }) => given[name] === undefined && (taken === undefined || taken.includes(name)),
    );
  } catch (error) {
    if (error instanceof UserError) return [];
    throw error;
  }
}

/** An option, and whether it is typed with its name: `tier:whale`. */
interface Choosable {
  readonly option: OptionSpec;
  readonly isNamed: boolean;
  readonly sandbox: Sandbox | undefined;
}

function choicesLike(
  { option, isNamed, sandbox }: Choosable,
  typed: string,
  texts: Texts,
  before: string,
): Completion[] {
  const prefix = isNamed ? `${option.name}:` : '';
  const wanted = typed.toLowerCase();
  return choicesOf(option, texts, sandbox)
    .filter(({ choice, label }) =>
      [choice, label, prefix + choice].some((each) => each.toLowerCase().startsWith(wanted)),
    )
    .map(({ choice, label }) => ({
      line: `${before} ${prefix}${choice}`,
      label: prefix + choice,
      detail: label === choice ? option.about(texts) : label,
      complete: true,
    }));
}

function choicesOf(
  option: OptionSpec,
  texts: Texts,
  sandbox: Sandbox | undefined,
): readonly { readonly choice: string; readonly label: string }[] {
  switch (option.kind) {
    case 'choice':
      return option.choices.map((choice) => ({ choice, label: option.label(choice, texts) }));
    case 'role':
    case 'member':
    case 'channel':
      return (sandbox?.names(option.kind) ?? []).map((choice) => ({ choice, label: choice }));
    default:
      return [];
  }
}

/** The line to append a wallet to. */
interface Begun {
  readonly command: Command | undefined;
  readonly settled: readonly string[];
}

function forAddress(commands: readonly Command[]): Begun {
  return { command: commands.find(({ name }) => name === FOR_AN_ADDRESS), settled: [] };
}

async function wallets(
  answerer: PlaygroundAnswerer,
  { caller, words }: PageRequest,
  typed: string,
  { command, settled }: Begun,
): Promise<Completion[]> {
  if (command === undefined) return [];
  const texts = textsFor(words.language);
  const found = await answerer.suggest(caller, typed);
  return found.slice(0, MOST).map(({ label, address, name }) => {
    const isTyped = name !== undefined && isReadAsTyped(command, texts, settled, name);
    return {
      line: [`/${command.name}`, ...settled, isTyped ? name : address].join(' '),
      label,
      detail: address,
      complete: true,
    };
  });
}

/** Whether everything after these words is taken as a wallet's name. */
function isReadAsTyped(
  command: Command,
  texts: Texts,
  settled: readonly string[],
  name: string,
): boolean {
  try {
    const given = sortWords(command, texts, [...settled, name].join(' '));
    return command.options.some((each) => each.kind === 'wallet' && given[each.name] === name);
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  }
}

/** A display name of several words, being typed. */
function nameOfSeveralWords(
  command: Command,
  texts: Texts,
  values: readonly string[],
): string | undefined {
  const name = values.join(' ');
  return values.length > 1 && isReadAsTyped(command, texts, [], name) ? name : undefined;
}
