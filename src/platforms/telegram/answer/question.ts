import type { Message } from 'grammy/types';
import { firstAddress } from '#platforms/telegram/answer/addresses';
import { photoIn } from '#platforms/telegram/answer/photo';

export interface TypedText {
  /** In lower case: phone keyboards capitalize the first letter. */
  readonly name: string;
  /** What follows the command. */
  readonly rest: string;
  /** Where the rest begins in the message. */
  readonly restFrom?: number;
  /** Whether it names this bot: `/rep@bot`. */
  readonly addressed: boolean;
}

const COMMAND = /^\/([a-z0-9_]{1,32})(?:@([a-z0-9_]{3,32}))?(?=\s|$)/i;
/** `/start`'s parameter: `apikey`, or `rep_0x…` for a command with arguments. */
const PARAMETER = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Parses the command at the start of a text.
 * @param isKnown whether a command of that name exists, for `/start` with a parameter
 * @returns undefined if there's no command, or it's another bot's
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
  const typed = {
    name: name.toLowerCase(),
    rest: text.slice(whole.length),
    restFrom: whole.length,
    addressed: bot !== undefined,
  };
  return typed.name === 'start' ? readStart(typed, isKnown) : typed;
}

/** The Start button, or a deep link: `https://t.me/bot?start=rep_0x…`. Anything else is help. */
function readStart({ rest, addressed }: TypedText, isKnown: (name: string) => boolean): TypedText {
  const [parameter = ''] = rest.trim().split(/\s+/u, 1);
  const [name = '', ...given] = PARAMETER.test(parameter) ? parameter.split('_') : [];
  const command = name.toLowerCase();
  if (!isKnown(command)) return { name: 'help', rest: '', addressed };
  return { name: command, rest: given.join(' '), addressed };
}

/** What the replied-to message mentions. */
export interface RepliedTo {
  /** The first address in the quote or the message. */
  readonly address: string | undefined;
  /** Id of its author, if that's a user. */
  readonly author: string | undefined;
  /** Its photo, by a name for `uploadUrl`. */
  readonly photo: string | undefined;
}

export function repliedTo(message: Message): RepliedTo {
  const replied = message.reply_to_message;
  const texts = [message.quote?.text, replied?.text, replied?.caption];
  const [address] = texts.flatMap((text) => (text === undefined ? [] : (firstAddress(text) ?? [])));
  return { address, author: authorOf(replied), photo: photoIn(replied) };
}

function authorOf(message: Message | undefined): string | undefined {
  // In a topic, messages that reply to nothing appear as replies to the topic's creation.
  if (message?.from === undefined || message.forum_topic_created !== undefined) return undefined;
  // Sent as a chat: the author is unknown.
  if (message.from.is_bot || message.sender_chat !== undefined) return undefined;
  return String(message.from.id);
}
