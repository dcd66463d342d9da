import type { MaybeInaccessibleMessage } from 'grammy/types';

/** Where to send an answer. */
export interface ReplyTarget {
  readonly chatId: number;
  /** The topic, in a forum. */
  readonly threadId: number | undefined;
  /** In the direct messages of a channel, whose they are: nobody else reads them but its administrators. */
  readonly directTopic?: number | undefined;
  /** The message to reply to, in groups. */
  readonly replyTo: number | undefined;
}

export function replyTargetOf(message: MaybeInaccessibleMessage): ReplyTarget {
  // Replies in ordinary groups have a thread id too; Telegram rejects it if we send it back.
  const inTopic = 'is_topic_message' in message && message.is_topic_message === true;
  const direct = 'direct_messages_topic' in message ? message.direct_messages_topic : undefined;
  return {
    chatId: message.chat.id,
    threadId: inTopic ? message.message_thread_id : undefined,
    ...(direct !== undefined && { directTopic: direct.topic_id }),
    replyTo: message.chat.type === 'private' ? undefined : message.message_id,
  };
}

/** A private chat has the user's id. */
export function privateChat(chatId: number): ReplyTarget {
  return { chatId, threadId: undefined, replyTo: undefined };
}

/** Groups have negative ids, users positive ones. */
export function isPrivate({ chatId }: ReplyTarget): boolean {
  return chatId > 0;
}

/** A place's parameters, apart from the chat. */
export function at({ threadId, directTopic, replyTo }: ReplyTarget) {
  return {
    ...(threadId !== undefined && { message_thread_id: threadId }),
    ...(directTopic !== undefined && { direct_messages_topic_id: directTopic }),
    ...(replyTo !== undefined && {
      // The message may have been deleted meanwhile.
      reply_parameters: { message_id: replyTo, allow_sending_without_reply: true },
    }),
  };
}
