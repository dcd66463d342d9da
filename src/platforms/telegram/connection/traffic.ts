import type { Context, MiddlewareFn } from 'grammy';
import type { Message, Update } from 'grammy/types';
import { isWordless, mayBeCommand, messageTextOf } from '#platforms/telegram/answer/read-message';
import type { OnCommand } from '#platforms/telegram/answer/telegram-context';
import { isGated } from '#platforms/telegram/gating/members';

/** Seconds after which an answer to a message comes too late. */
const MESSAGE_SECONDS = 300;

/** Whether a body is an update. Handlers check its contents. */
export function isUpdate(value: unknown): value is Update {
  if (typeof value !== 'object' || value === null || !('update_id' in value)) return false;
  return Number.isSafeInteger(value.update_id);
}

/** @returns undefined if this isn't an update */
export function parsedUpdate(body: string): Update | undefined {
  try {
    const update: unknown = JSON.parse(body);
    return isUpdate(update) ? update : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether it may be a command, a change to a group or its members, or what somebody sent to the bot alone.
 * In groups with privacy mode off, most messages are just conversation.
 */
export function isForUs(update: Update): boolean {
  const message = update.message ?? editedIn(update) ?? update.channel_post;
  if (message === undefined || isOfGroup(message)) return true;
  const said = messageTextOf(message);
  // A live location is edited as long as it moves.
  if (said === undefined) return update.message !== undefined && isWordless(update.message);
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
  const edited = editedIn(update);
  const message = update.message ?? edited ?? update.channel_post;
  if (message === undefined) return false;
  if (messageTextOf(message) === undefined && !isWordless(message)) return false;
  return now - (edited?.edit_date ?? message.date) > MESSAGE_SECONDS;
}

function editedIn({ edited_message: message, edited_channel_post: post }: Update) {
  return message ?? post;
}

/** Whether it reports a change to the group itself: its name, or that it became a supergroup. */
function isOfGroup(message: Message): boolean {
  const { migrate_to_chat_id: to, migrate_from_chat_id: from, new_chat_title: title } = message;
  return to !== undefined || from !== undefined || title !== undefined;
}

/**
 * Updates queued per chat. Without this limit, one throttled chat could occupy all capacity and delay
 * every other chat.
 */
const WAITING_MAX = 10;
/** In a group, which is answered together under pressure: as many as a minute's messages have room for. */
const WAITING_IN_GROUP_MAX = 350;

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
    const isGroup = context.chat !== undefined && isGated(context.chat.type);
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
 * Commands queue per chat, and an album by itself; inline queries, whose chat is unknown, per user. Membership updates queue per
 * member and group updates per group, so that a busy chat never causes them to be dropped.
 */
export function laneOf(context: Context): string {
  const { chat, chatJoinRequest, chatMember, myChatMember } = context;
  const message = context.message ?? context.channelPost;
  const member = chatJoinRequest?.from ?? chatMember?.new_chat_member.user;
  if (member !== undefined) return `member ${chat?.id} ${member.id}`;
  const isAboutGroup = message === undefined ? myChatMember !== undefined : isOfGroup(message);
  if (isAboutGroup) return `group ${chat?.id}`;
  // Ten photos would leave no place for a command.
  const album = chat?.type === 'private' ? message?.media_group_id : undefined;
  if (album !== undefined) return `album ${chat?.id} ${album}`;
  return chat === undefined ? `user ${context.from?.id}` : `chat ${chat.id}`;
}

/**
 * Handles a lane's updates one by one, so that answers keep the order of commands. A handler that only
 * waits for its answer to be sent may let the next one begin.
 */
export class Lanes {
  readonly #laneOf: (context: Context) => string;
  /** By lane: settles once the last handler in it lets the next one begin. */
  readonly #tails = new Map<string, Promise<void>>();
  /** By what a handler knows of its update: its message. */
  readonly #releases = new WeakMap<object, () => void>();

  constructor(laneOf: (context: Context) => string) {
    this.#laneOf = laneOf;
  }

  readonly middleware: MiddlewareFn = async (context, next) => {
    const lane = this.#laneOf(context);
    const before = this.#tails.get(lane);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#tails.set(lane, promise);
    const { msg } = context;
    if (msg !== undefined) this.#releases.set(msg, resolve);
    await before;
    try {
      await next();
    } finally {
      resolve();
      if (this.#tails.get(lane) === promise) this.#tails.delete(lane);
    }
  };

  /** Lets the next handler begin. @param message of the update that waits */
  release(message: object): void {
    this.#releases.get(message)?.();
  }
}
