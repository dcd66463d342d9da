import type { Context, MiddlewareFn } from 'grammy';
import type { Message } from 'grammy/types';
import type { OnCommand } from '#platforms/telegram/answer/telegram-context';
import { groupOf } from '#platforms/telegram/gating/members';
import { isForUs, isOfGroup } from './updates.ts';

/**
 * Updates queued per chat. Without this limit, one throttled chat could occupy all capacity and delay
 * every other chat.
 */
const WAITING_MAX = 10;
/** In a group, which is answered together under pressure. */
const WAITING_IN_GROUP_MAX = 100;

/** Skips updates that aren't for us. */
export const onlyQuestions: MiddlewareFn = async (context, next) => {
  if (isForUs(context.update)) await next();
};

/** Drops a chat's updates while its queue is full. @param onMissed called with a group's message */
export function boundedCrowd(
  onCommand: OnCommand,
  onMissed: (message: Message) => void,
): MiddlewareFn {
  const waiting = new Map<string, number>();
  return async (context, next) => {
    const lane = laneOf(context);
    const before = waiting.get(lane) ?? 0;
    const isGroup = context.chat !== undefined && groupOf(context.chat) !== undefined;
    if (before >= (isGroup ? WAITING_IN_GROUP_MAX : WAITING_MAX)) {
      onCommand('unknown', 'dropped', 0);
      if (isGroup && context.message !== undefined) onMissed(context.message);
      // Otherwise the pressed button would keep spinning. Answering isn't rate-limited.
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

/**
 * Commands queue per chat; inline queries, whose chat is unknown, per user. Membership updates queue per
 * member and group updates per group, so that a busy chat never causes them to be dropped.
 */
export function laneOf(context: Context): string {
  const { chat, chatJoinRequest, chatMember, myChatMember } = context;
  const message = context.message ?? context.channelPost;
  const member = chatJoinRequest?.from ?? chatMember?.new_chat_member.user;
  if (member !== undefined) return `member ${chat?.id} ${member.id}`;
  const isAboutGroup = message === undefined ? myChatMember !== undefined : isOfGroup(message);
  if (isAboutGroup) return `group ${chat?.id}`;
  return chat === undefined ? `user ${context.from?.id}` : `chat ${chat.id}`;
}
