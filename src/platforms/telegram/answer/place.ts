import type { MaybeInaccessibleMessage } from 'grammy/types';

/** Where an answer goes. */
export interface ChatPlace {
  readonly chatId: number;
  /** The topic, in a chat that has topics. */
  readonly threadId: number | undefined;
  /** The message that asked, where others write in between. */
  readonly replyTo: number | undefined;
}

/** Where a message is answered. */
export function chatPlaceOf(message: MaybeInaccessibleMessage): ChatPlace {
  // Replies in an ordinary group have a thread id too, which must not be sent back.
  const inTopic = 'is_topic_message' in message && message.is_topic_message === true;
  return {
    chatId: message.chat.id,
    threadId: inTopic ? message.message_thread_id : undefined,
    replyTo: message.chat.type === 'private' ? undefined : message.message_id,
  };
}

/** The chat with one person, which has their id. */
export function privateChat(chatId: number): ChatPlace {
  return { chatId, threadId: undefined, replyTo: undefined };
}

/** Groups have negative ids, people positive ones. */
export function isPrivate({ chatId }: ChatPlace): boolean {
  return chatId > 0;
}

/** The parameters of a place that come beside the chat. */
export function at({ threadId, replyTo }: ChatPlace) {
  return {
    ...(threadId !== undefined && { message_thread_id: threadId }),
    ...(replyTo !== undefined && {
      // The question may be deleted meanwhile.
      reply_parameters: { message_id: replyTo, allow_sending_without_reply: true },
    }),
  };
}
