import type { Message, Update } from 'grammy/types';

/** Seconds after which nobody waits for the answer to a message any more. */
const MESSAGE_SECONDS = 300;

/** Whether it is an update at all. What is in it is looked at by who answers it. */
export function isUpdate(value: unknown): value is Update {
  if (typeof value !== 'object' || value === null || !('update_id' in value)) return false;
  return Number.isSafeInteger(value.update_id);
}

/**
 * Whether it may be a question, or tells what becomes of groups and their members: in a group with
 * privacy mode off, most is talk.
 */
export function isForUs({ message }: Update): boolean {
  if (message === undefined) return true;
  if (isOfMove(message)) return true;
  if (message.text === undefined) return false;
  return message.chat?.type === 'private' || message.text.startsWith('/');
}

/**
 * Whether a question that was left by a replica that died comes too late. Telegram waits for about
 * ten seconds for an answer in the inline mode, which are over by then; it says itself when the press
 * of a button is too old. What is told of groups and members never is.
 * @param now seconds since 1970
 */
export function isLate({ message, inline_query: inline }: Update, now: number): boolean {
  if (inline !== undefined) return true;
  if (message?.text === undefined) return false;
  return now - message.date > MESSAGE_SECONDS;
}

/** Whether it tells that a group became a supergroup: in the one or in the other. */
export function isOfMove(message: Message): boolean {
  return message.migrate_to_chat_id !== undefined || message.migrate_from_chat_id !== undefined;
}
