import type { Message } from 'grammy/types';
import { firstAddress } from '#platforms/telegram/answer/addresses';

/** A command as somebody typed it. */
export interface Typed {
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
): Typed | undefined {
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
function readStart({ words, addressed }: Typed, isKnown: (name: string) => boolean): Typed {
  const [parameter = ''] = words;
  const [name = '', ...given] = PARAMETER.test(parameter) ? parameter.split('_') : [];
  const command = name.toLowerCase();
  if (!isKnown(command)) return { name: 'help', words: [], addressed };
  return { name: command, words: given.filter((word) => word !== ''), addressed };
}

/** The first address in the message that this one answers to; of a quote, if one was picked. */
export function repliedAddress(message: Message): string | undefined {
  const replied = message.reply_to_message;
  const texts = [message.quote?.text, replied?.text, replied?.caption];
  for (const text of texts) {
    const address = text === undefined ? undefined : firstAddress(text);
    if (address !== undefined) return address;
  }
  return undefined;
}
