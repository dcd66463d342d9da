import type { Message } from 'grammy/types';
import { decodeButtonData } from './button-data.ts';

/**
 * The channel or group that a message in a private chat is about: it replies to a post that was forwarded
 * from the channel, or to a card of ours whose buttons carry the community. It proves nothing: the
 * author's rights there are still to be checked.
 * @param me the bot's own id: anybody else's buttons are theirs
 */
export function communityRepliedTo(message: Message, me: number): string | undefined {
  const replied = message.reply_to_message;
  if (replied === undefined || message.chat.type !== 'private') return undefined;
  const origin = replied.forward_origin;
  if (origin?.type === 'channel') return String(origin.chat.id);
  if (replied.from?.id !== me) return undefined;
  const buttons = replied.reply_markup?.inline_keyboard.flat() ?? [];
  const carried = buttons.flatMap((each) =>
    'callback_data' in each ? (decodeButtonData(each.callback_data).community ?? []) : [],
  );
  return carried[0];
}
