import type { Message, User } from 'grammy/types';
import type { Mention } from '#command';
import { firstAddress } from './addresses.ts';
import { photoIn } from './photo.ts';
import { mentionsFrom, type Said } from './said.ts';
import { subjectsOf } from './subjects.ts';

export interface TypedText {
  /** In lower case: phone keyboards capitalize the first letter. */
  readonly name: string;
  /** What follows the command. */
  readonly rest: string;
  /** People whom the rest mentions. */
  readonly mentions?: readonly Mention[];
  /** Whether it names this bot: `/rep@bot`. */
  readonly addressed: boolean;
}

const COMMAND = /^\/([a-z0-9_]{1,32})(?:@([a-z0-9_]{3,32}))?(?=\s|$)/i;
/** `@bot /stats`, as people call a bot in a group. */
const CALLED = /^@([a-z0-9_]{3,32})[\s,:]+(?=\/)/i;
/** `/start`'s parameter: `apikey`, or `rep_0x…` for a command with arguments. */
const PARAMETER = /^[A-Za-z0-9_-]{1,64}$/;

/** Whether a text may begin with a command, whichever bot's it is. */
export function mayBeCommand(text: string): boolean {
  return text.startsWith('/') || CALLED.test(text);
}

/**
 * Parses the command at the start of a text.
 * @param isKnown whether a command of that name exists, for `/start` with a parameter
 * @returns undefined if there's no command, or it's another bot's
 */
export function readCommand(
  said: Said,
  username: string,
  isKnown: (name: string) => boolean,
): TypedText | undefined {
  const [called = '', calledBot] = CALLED.exec(said.text) ?? [];
  const match = COMMAND.exec(said.text.slice(called.length));
  if (match === null) return undefined;
  const [whole, name = '', bot = calledBot] = match;
  if (bot !== undefined && bot.toLowerCase() !== username.toLowerCase()) return undefined;
  const from = called.length + whole.length;
  const typed = {
    name: name.toLowerCase(),
    rest: withoutBot(said.text.slice(from), username),
    mentions: mentionsFrom(said, from),
    addressed: bot !== undefined,
  };
  return typed.name === 'start' ? readStart(typed, isKnown) : typed;
}

/** `/stats @bot`: the bot's own name at the end only says whose command it is. */
function withoutBot(rest: string, username: string): string {
  const trimmed = rest.trimEnd();
  const own = `@${username}`.toLowerCase();
  const isAtEnd = trimmed.toLowerCase().endsWith(own) && /\s$/u.test(trimmed.slice(0, -own.length));
  return isAtEnd ? trimmed.slice(0, -own.length) : rest;
}

/** The Start button, or a deep link: `https://t.me/bot?start=rep_0x…`. Anything else is help. */
function readStart({ rest, addressed }: TypedText, isKnown: (name: string) => boolean): TypedText {
  const [parameter = ''] = rest.trim().split(/\s+/u, 1);
  const [name = '', ...given] = PARAMETER.test(parameter) ? parameter.split('_') : [];
  const command = name.toLowerCase();
  if (!isKnown(command)) return { name: 'help', rest: '', addressed };
  return { name: command, rest: given.join(' '), addressed };
}

/** What a command's own message, and the one that it replies to, add to it. */
export interface RepliedTo {
  /** The first address in the quote or the replied-to message. */
  readonly address: string | undefined;
  /** Whom the replied-to message is about. */
  readonly subjects: readonly User[];
  /** The photo whose caption the command is, or that of the replied-to message, for `uploadUrl`. */
  readonly photo: string | undefined;
}

export function repliedTo(message: Message): RepliedTo {
  const replied = message.reply_to_message;
  const texts = [message.quote?.text, replied?.text, replied?.caption];
  const [address] = texts.flatMap((text) => (text === undefined ? [] : (firstAddress(text) ?? [])));
  return {
    address,
    subjects: subjectsOf(replied),
    photo: photoIn(message) ?? photoIn(replied),
  };
}
