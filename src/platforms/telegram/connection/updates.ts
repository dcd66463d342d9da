import type { Message, Update } from 'grammy/types';

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
export function isForUs({ message }: Update): boolean {
  if (message === undefined) return true;
  if (isOfMove(message)) return true;
  if (message.text === undefined) return false;
  return message.chat?.type === 'private' || message.text.startsWith('/');
}

/**
 * Whether it's too late to answer an update left by a dead replica. Telegram's ten seconds for inline
 * queries are over by then, and it rejects answers to old button presses itself. Changes to groups and
 * members are never too late.
 * @param now seconds since 1970
 */
export function isLate({ message, inline_query: inline }: Update, now: number): boolean {
  if (inline !== undefined) return true;
  if (message?.text === undefined) return false;
  return now - message.date > MESSAGE_SECONDS;
}

/** Whether it reports that a group became a supergroup, in either of the two. */
export function isOfMove(message: Message): boolean {
  return message.migrate_to_chat_id !== undefined || message.migrate_from_chat_id !== undefined;
}
