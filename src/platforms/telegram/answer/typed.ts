import { RetryableError, UserError } from '#base';
import {
  type Action,
  type Caller,
  type Card,
  listedFor,
  noteCard,
  optionsFor,
  shownWord,
  sortWords,
} from '#command';
import { optionName, outageText, type Texts, textsFor } from '#command/texts';
import type { Command, CommandRequest } from '#commands/answering';
import { nameOf } from '#platforms/telegram/gating/members';
import type { TypedText } from './read-message.ts';
import { type RepliedTo, type Subject, uploadUrl } from './replied-to.ts';
import type { TelegramContext } from './telegram-context.ts';

export type CommandCaller = Omit<CommandRequest, 'call'>;
type Args = Readonly<Record<string, string>>;

/** People that a question offers to choose from, two in a row. */
const OFFERED = 20;

/** What a typed command came to: its call, or a card that says why there is none. */
type TypedCall =
  | { readonly call: { readonly command: string; readonly args: Args } }
  | { readonly card: Card };

/**
 * Reads a typed command.
 * @param replied supplies what's missing: a picture, or a wallet, by an address in the replied-to message or
 *   else by whom that message is about
 */
export async function readTyped(
  telegram: TelegramContext,
  typed: TypedText,
  { caller, locale }: CommandCaller,
  replied: RepliedTo,
): Promise<TypedCall> {
  const texts = textsFor(locale);
  const command = telegram.answerer.commandNamed(typed.name);
  if (command === undefined) return { call: { command: typed.name, args: {} } };
  try {
    const given = sortWords(typable(command), texts, typed.rest, typed.mentions);
    const { community } = caller;
    const met = await metAmong(telegram, command, given, replied, community);
    const args = withReplied(
      command,
      given,
      { ...replied, subjects: [...replied.subjects, ...met] },
      texts,
    );
    if ('several' in args) return { card: whomCard(command, args, texts) };
    const settled = await withMemberIds(telegram, command, args.args, caller, texts);
    return { call: { command: command.name, args: settled } };
  } catch (error) {
    if (error instanceof UserError) return { card: telegram.answerer.refusal(error, locale) };
    if (!(error instanceof RetryableError)) throw error;
    const message = outageText(error, 'Telegram', texts);
    return { card: { ...noteCard('warning', texts.errors.title, message), private: true } };
  }
}

/** A command as it can be typed here: groups have neither roles nor channels of their own. */
function typable(command: Command): Command {
  const options = command.options.filter(({ kind }) => kind !== 'role' && kind !== 'channel');
  return listedFor({ ...command, options }, 'entry');
}

/** Runs a typed command that was read. */
export async function askTyped(
  telegram: TelegramContext,
  typed: TypedCall,
  asker: CommandCaller,
): Promise<Card> {
  if ('card' in typed) return typed.card;
  const uploadUrlOf = (picture: string) => uploadUrl(telegram, picture);
  return await telegram.answerer.answer({ call: typed.call, ...asker, uploadUrl: uploadUrlOf });
}

/** Whom a bot's message mentions by usernames that the bot knows in the group: “Welcome, @alice!” */
async function metAmong(
  { usernames }: Pick<TelegramContext, 'usernames'>,
  { options }: Command,
  given: Args,
  replied: RepliedTo,
  community: string | undefined,
): Promise<readonly Subject[]> {
  const isWanted = options.some(({ kind, name }) => kind === 'member' && given[name] === undefined);
  if (!isWanted || community === undefined) return [];
  const found = replied.usernames.slice(0, OFFERED).map(async (name): Promise<Subject[]> => {
    const account = await usernames.accountOf(community, name);
    return account === undefined ? [] : [{ id: Number(account), first_name: `@${name}` }];
  });
  const known = new Set(replied.subjects.map(({ id }) => id));
  return (await Promise.all(found)).flat().filter(({ id }) => !known.has(id));
}

interface Several {
  readonly several: readonly Subject[];
  readonly option: string;
  readonly given: Args;
}

/** Fills in arguments from the replied-to message; a wallet is more specific than a member. */
function withReplied(
  command: Command,
  args: Args,
  { address, subjects, photo }: RepliedTo,
  texts: Texts,
): { readonly args: Args } | Several {
  const picture = command.options.find(({ kind }) => kind === 'picture')?.name;
  if (picture !== undefined) {
    // What was typed comes first.
    const isTyped = command.options.some(({ kind, name }) => kind === 'text' && name in args);
    return { args: photo === undefined || isTyped ? args : { ...args, [picture]: photo } };
  }
  const options = optionsFor(command, args, texts);
  const wallet = options.find(({ kind }) => kind === 'wallet')?.name;
  const member = options.find(({ kind }) => kind === 'member')?.name;
  if (wallet !== undefined && args[wallet] !== undefined) return { args };
  if (member !== undefined && args[member] !== undefined) return { args };
  if (wallet !== undefined && address !== undefined)
    return { args: { ...args, [wallet]: address } };
  const [subject, ...others] = subjects;
  if (member === undefined || subject === undefined) return { args };
  if (others.length > 0) return { several: subjects, option: member, given: args };
  return { args: { ...args, [member]: String(subject.id) } };
}

/** Asks which of several people is meant. */
function whomCard(command: Command, { several, option, given }: Several, { chat }: Texts): Card {
  const buttons = several.slice(0, OFFERED).map(
    (user): Action => ({
      label: nameOf(user),
      call: { command: command.name, args: { ...given, [option]: String(user.id) } },
    }),
  );
  const rows = buttons.flatMap((_, i) => (i % 2 === 0 ? [buttons.slice(i, i + 2)] : []));
  const note = noteCard('plain', chat.whom, chat.whomAbout);
  return { ...note, actions: rows, private: command.private };
}

/** Whether a card reports a problem instead of answering. */
export function isFailure(card: Card): boolean {
  return card.tone === 'error' || card.tone === 'warning';
}

/** IDs have 52 bits at most (https://core.telegram.org/bots/api#user). */
const LARGEST_ID = 2 ** 52 - 1;
const USERNAME = /^@([A-Za-z0-9_]{2,32})$/;

/**
 * Replaces the username of a member by their id. Outside groups and channels, the bot knows nobody's but the caller's.
 * @throws UserError for somebody whom the bot hasn't met there, for an ID that nobody has, and for the bot's own;
 *   RetryableError
 */
async function withMemberIds(
  { usernames, me }: Pick<TelegramContext, 'usernames' | 'me'>,
  command: Command,
  args: Readonly<Record<string, string>>,
  { id, username, community }: Caller,
  texts: Texts,
): Promise<Readonly<Record<string, string>>> {
  const accountOf = async (name: string) => {
    if (name.toLowerCase() === username?.toLowerCase()) return id;
    return community === undefined ? undefined : await usernames.accountOf(community, name);
  };
  let settled = args;
  for (const { kind, name: option } of command.options) {
    const given = kind === 'member' ? (args[option] ?? '') : '';
    const isNobody = /^\d/.test(given) && (Number(given) > LARGEST_ID || Number(given) === me().id);
    if (isNobody) {
      const words = texts.errors.notAMember(optionName(texts, option), shownWord(given));
      throw new UserError('invalid-parameter', words);
    }
    const name = USERNAME.exec(given)?.[1];
    if (name === undefined) continue;
    const account = await accountOf(name);
    if (account === undefined) {
      throw new UserError('invalid-parameter', texts.chat.unknownMember(shownWord(`@${name}`)));
    }
    settled = { ...settled, [option]: account };
  }
  return settled;
}
