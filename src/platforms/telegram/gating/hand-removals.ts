import type { ChatMemberUpdated } from 'grammy/types';
import { PlatformFault } from '#base';
import type { TelegramContext } from '#platforms/telegram/answer/telegram-context';
import { parsedUpdate } from '#platforms/telegram/connection/traffic';
import { isIn } from './members.ts';

/** Whether it was neither the member nor the bot. @param me the bot's own id */
export function isByOthers({ from, new_chat_member: after }: ChatMemberUpdated, me: number) {
  return from.id !== after.user.id && from.id !== me;
}

/** Whether somebody removed or banned the member by hand. @param me the bot's own id */
export function isRemovalByHand(update: ChatMemberUpdated, me: number): boolean {
  const { old_chat_member: before, new_chat_member: after } = update;
  const isBanned = after.status === 'kicked' && before.status !== 'kicked';
  return isByOthers(update, me) && (isBanned || (isIn(before) && !isIn(after)));
}

/**
 * A replica that dies may leave a removal that it has accepted and nobody has recorded yet, while others have the
 * member's request to join.
 * @throws RetryableError until it's recorded, as nothing may be given before
 */
export async function requireRecorded(
  { inbox, me }: TelegramContext,
  community: string,
  account: string,
): Promise<void> {
  const bodies = await inbox?.waiting('telegram', ['"chat_member"', `"id":${account}`]);
  const isWaiting = bodies?.some((body) => {
    const update = parsedUpdate(body)?.chat_member;
    if (update === undefined || String(update.chat.id) !== community) return false;
    return String(update.new_chat_member.user.id) === account && isRemovalByHand(update, me().id);
  });
  if (isWaiting === true) throw new PlatformFault('A removal of the member is yet to be recorded.');
}
