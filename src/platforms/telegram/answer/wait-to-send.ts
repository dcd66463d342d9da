import type { MaybeInaccessibleMessage, Message } from 'grammy/types';
import { sleep } from '#base/waiting';
import { faultOf, isClosed } from '#platforms/telegram/connection/faults';
import { type ReplyTarget, replyTargetOf } from './reply-target.ts';

/** Milliseconds for which an answer waits, by the kind of fault: while Telegram asks us to, and through a short outage. */
export const WAITS_MS: Readonly<Record<string, number>> = {
  flood: 600_000,
  server: 120_000,
  network: 120_000,
};
const PAUSE_MS = 5_000;

/** What waits need to know of the bot. */
export interface Waits {
  /** Ends every wait when the bot stops. */
  readonly signal: AbortSignal;
  /** Lets a chat's next update be handled. @param message of the update that waits */
  readonly release: (message: object) => void;
}

/**
 * Sends an answer, late rather than not at all where Telegram can't take it for now.
 * @param asked what is answered: in a group, others' updates needn't wait for it
 * @param send called again after a wait, with `isLate`
 * @throws what the last attempt threw
 */
export async function waitToSend<T>(
  { signal, release }: Waits,
  asked: MaybeInaccessibleMessage | undefined,
  send: (isLate: boolean) => Promise<T>,
): Promise<T> {
  const inGroup = asked !== undefined && asked.chat.type !== 'private';
  return await attempts(signal, send, () => inGroup && release(asked));
}

/**
 * Sends what follows an answer. Where Telegram can't take it for now, it's sent later, and nothing waits for it.
 * @param failed takes what the last attempt threw
 */
export async function sendOrLeave(
  signal: AbortSignal,
  send: () => Promise<unknown>,
  failed: (error: unknown) => void,
): Promise<void> {
  const { promise: leaving, resolve: leave } = Promise.withResolvers<void>();
  const sent = attempts(signal, send, leave).then(() => undefined, failed);
  await Promise.race([sent, leaving]);
}

/** @param onWait called before each wait */
async function attempts<T>(
  signal: AbortSignal,
  send: (isLate: boolean) => Promise<T>,
  onWait: () => void,
): Promise<T> {
  const began = performance.now();
  for (let isLate = false; ; isLate = true) {
    try {
      return await send(isLate);
    } catch (error) {
      const { kind, retryAfter } = faultOf(error);
      const pause = Math.max(PAUSE_MS, retryAfter * 1_000);
      const waited = performance.now() - began + pause;
      if (signal.aborted || waited > (WAITS_MS[kind] ?? 0)) throw error;
      onWait();
      await sleep(pause, signal);
    }
  }
}

/** Where to answer a message; a late answer says which message it's about, also in a private chat. */
export function answerTarget(message: Message, isLate: boolean): ReplyTarget {
  const place = replyTargetOf(message);
  return isLate ? { ...place, replyTo: message.message_id } : place;
}

/**
 * Writes to a place, or to the group's general topic where the place's own takes nothing from the bot: administrators
 * write in closed topics.
 */
export async function orInGeneral<T>(
  place: ReplyTarget,
  send: (place: ReplyTarget) => Promise<T>,
): Promise<T> {
  try {
    return await send(place);
  } catch (error) {
    if (!isClosed(error) || place.threadId === undefined) throw error;
    return await send({ chatId: place.chatId, threadId: undefined, replyTo: undefined });
  }
}
