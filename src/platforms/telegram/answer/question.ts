import type { Message } from 'grammy/types';
import { firstAddress } from '#platforms/telegram/answer/addresses';

/** A command as somebody typed it. */
export interface TypedText {
  /** In lower case: phones like to begin with a capital. */
  readonly name: string;
  readonly words: readonly string[];
  /** It names this bot. */
  readonly addressed: boolean;
}

const COMMAND = /^\/([a-z0-9_]{1,32})(?:@([a-z0-9_]{3,32}))?(?=\s|$)/i;
/** `/start`'s parameter: `apikey`, or `rep_0x…` for a command with arguments. */
const PARAMETER = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * The command at the start of a text.
 * @param isKnown whether there is a command of that name, for `/start` with a parameter
 * @returns undefined for another text, and for a command of another bot
 */
export function readCommand(
  text: string,
  username: string,
  isKnown: (name: string) => boolean,
): TypedText | undefined {
  const match = COMMAND.exec(text);
  if (match === null) return undefined;
  const [whole, name = '', bot] = match;
  if (bot !== undefined && bot.toLowerCase() !== username.toLowerCase()) return undefined;
  const words = text
    .slice(whole.length)
    .split(/\s+/u)
    .filter((word) => word !== '');
  const typed = { name: name.toLowerCase(), words, addressed: bot !== undefined };
  return typed.name === 'start' ? readStart(typed, isKnown) : typed;
}

/** A press on Start, or a deep link: `https://t.me/bot?start=rep_0x…`. All else is help. */
function readStart({ words, addressed }: TypedText, isKnown: (name: string) => boolean): TypedText {
  const [parameter = ''] = words;
  const [name = '', ...given] = PARAMETER.test(parameter) ? parameter.split('_') : [];
  const command = name.toLowerCase();
  if (!isKnown(command)) return { name: 'help', words: [], addressed };
  return { name: command, words: given.filter((word) => word !== ''), addressed };
}

/** What the message that this one answers to is about. */
export interface RepliedTo {
  /** The first address in it, or in the part that was quoted. */
  readonly address: string | undefined;
  /** Id of who wrote it, when that is a person. */
  readonly author: string | undefined;
}

export function repliedTo(message: Message): RepliedTo {
  const replied = message.reply_to_message;
  const texts = [message.quote?.text, replied?.text, replied?.caption];
  const [address] = texts.flatMap((text) => (text === undefined ? [] : (firstAddress(text) ?? [])));
  return { address, author: authorOf(replied) };
}

function authorOf(message: Message | undefined): string | undefined {
  // A message in a topic that answers to nothing comes as an answer to how the topic began.
  if (message?.from === undefined || message.forum_topic_created !== undefined) return undefined;
  // Written in the name of a chat, by whoever may.
  if (message.from.is_bot || message.sender_chat !== undefined) return undefined;
  return String(message.from.id);
}
