import type { Message, Update } from 'grammy/types';
import { mayBeCommand } from '#platforms/telegram/answer/pending-input';
import { saidIn } from '#platforms/telegram/answer/said';

/** Seconds after which an answer to a message comes too late. */
const MESSAGE_SECONDS = 300;

/** Whether a body is an update. Handlers check its contents. */
export function isUpdate(value: unknown): value is Update {
  if (typeof value !== 'object' || value === null || !('update_id' in value)) return false;
  return Number.isSafeInteger(value.update_id);
}

/**
 * Whether it may be a command, or a change to a group or its members. In groups with privacy mode off,
 * most messages are just conversation.
 */
export function isForUs(update: Update): boolean {
  const message = update.message ?? update.edited_message ?? update.channel_post;
  if (message === undefined || isOfGroup(message)) return true;
  const said = saidIn(message);
  if (said === undefined) return false;
  return message.chat?.type === 'private' || mayBeCommand(said.text);
}

/**
 * Whether it's too late to answer an update left by a dead replica. Telegram's ten seconds for inline
 * queries are over by then, and it rejects answers to old button presses itself. Changes to groups and
 * members are never too late.
 * @param now seconds since 1970
 */
export function isLate(update: Update, now: number): boolean {
  if (update.inline_query !== undefined) return true;
  const { edited_message: edited } = update;
  const message = update.message ?? edited ?? update.channel_post;
  if (message === undefined || saidIn(message) === undefined) return false;
  return now - (edited?.edit_date ?? message.date) > MESSAGE_SECONDS;
}

/** Whether it reports a change to the group itself: its name, or that it became a supergroup. */
export function isOfGroup(message: Message): boolean {
  const { migrate_to_chat_id: to, migrate_from_chat_id: from, new_chat_title: title } = message;
  return to !== undefined || from !== undefined || title !== undefined;
}
