import { sequentialize } from '@grammyjs/runner';
import type { Context, MiddlewareFn } from 'grammy';
import type { OnCommand } from '#platforms/telegram/answer/desk';
import { isForUs, isOfMove } from '#platforms/telegram/connection/updates';

/**
 * Questions of one chat that may wait for their turn. Without a bound, one chat that is held back by
 * the flood limits would take all the places there are, and everybody would wait for it.
 */
const WAITING_MAX = 10;

/** Lets through only what may need an answer. */
export const onlyQuestions: MiddlewareFn = async (context, next) => {
  if (isForUs(context.update)) await next();
};

/** Drops questions of a chat in which too many wait already. */
export function boundedCrowd(onCommand: OnCommand): MiddlewareFn {
  const waiting = new Map<string, number>();
  return async (context, next) => {
    const lane = laneOf(context);
    const before = waiting.get(lane) ?? 0;
    if (before >= WAITING_MAX) {
      onCommand('unknown', 'dropped', 0);
      // A button that is pressed shows that it waits until it is answered, which costs nothing.
      if (context.callbackQuery !== undefined) {
        await context.answerCallbackQuery().catch(() => undefined);
      }
      return;
    }
    waiting.set(lane, before + 1);
    try {
      await next();
    } finally {
      const left = (waiting.get(lane) ?? 1) - 1;
      if (left === 0) waiting.delete(lane);
      else waiting.set(lane, left);
    }
  };
}

/** One after the other within a chat, so that answers come in the order of the questions. */
export const inTurn = () => sequentialize<Context>(laneOf);

/**
 * A chat; a person for the inline mode, where the chat isn't told. What is told of a group's members
 * goes by member, and of the group by itself: there is no hurry in which it might be dropped.
 */
function laneOf(context: Context): string {
  const { chat, message, chatJoinRequest, chatMember, myChatMember } = context;
  const member = chatJoinRequest?.from ?? chatMember?.new_chat_member.user;
  if (member !== undefined) return `member ${chat?.id} ${member.id}`;
  const isOfGroup = message === undefined ? myChatMember !== undefined : isOfMove(message);
  if (isOfGroup) return `group ${chat?.id}`;
  return chat === undefined ? `user ${context.from?.id}` : `chat ${chat.id}`;
}
