import type { ChatJoinRequest } from 'grammy/types';
import type { Card } from '#core/card';
import { messageOf } from '#core/errors';
import type { GateEvents, JoinAnswer } from '#core/gating/events';
import type { Desk } from '#platforms/telegram/answer/desk';
import { sleep } from '#platforms/telegram/connection/sleep';
import type { TelegramKeeper } from '#platforms/telegram/gating/keeper';
import { groupOf } from '#platforms/telegram/gating/members';
import { sendPrivately } from '#platforms/telegram/gating/send';

/** What requests are answered with. */
export interface Entrance {
  readonly desk: Desk;
  readonly keeper: TelegramKeeper;
  readonly gate: GateEvents;
  /** Milliseconds that a request waits for its answer. */
  readonly joinMs: number;
}

/**
 * Lets somebody in, or tells them what they need: for five minutes, or until it is answered, a request
 * lets the bot write to who never pressed Start (https://core.telegram.org/bots/api#chatjoinrequest).
 */
export async function onJoinRequest(entrance: Entrance, request: ChatJoinRequest): Promise<void> {
  const { gate, desk, joinMs } = entrance;
  const community = groupOf(request.chat);
  if (community === undefined) return;
  const { from } = request;
  const asked = gate.requested(community, String(from.id), from.language_code);
  const waiting = new AbortController();
  const late = sleep(joinMs, waiting.signal).then(() => undefined);
  const answer = await Promise.race([asked, late]);
  waiting.abort();
  if (answer !== undefined) return await follow(entrance, request, answer);
  // Who has waited that long is told nothing any more, but still let in.
  asked
    .then((slow) => (slow.kind === 'admit' ? follow(entrance, request, slow) : undefined))
    .catch((error: unknown) => {
      desk.log.error({ reason: messageOf(error) }, 'a bug: a request to join was not answered');
    });
}

async function follow(
  entrance: Entrance,
  request: ChatJoinRequest,
  answer: JoinAnswer,
): Promise<void> {
  if (answer.kind === 'not-ours') return;
  if (answer.kind === 'wait' || (await admit(entrance, request))) {
    await tell(entrance, request, answer.card);
  }
}

/** @returns whether they are in; else the request stays for others */
async function admit({ keeper, desk }: Entrance, request: ChatJoinRequest): Promise<boolean> {
  try {
    const outcome = await keeper.give(String(request.chat.id), String(request.from.id));
    const isRefused = outcome === 'no-role' || outcome === 'not-allowed';
    if (isRefused) desk.log.warn({ outcome }, 'Telegram: who should be let in could not be');
    return outcome === 'done';
  } catch (error) {
    const reason = messageOf(error);
    desk.log.warn({ reason }, 'Telegram: who should be let in could not be: the request stays');
    return false;
  }
}

/** It does no harm if nobody reads it. */
async function tell({ desk }: Entrance, request: ChatJoinRequest, card: Card): Promise<void> {
  const { user_chat_id: chatId, chat, from } = request;
  try {
    await sendPrivately(desk, chatId, String(chat.id), card, from.language_code);
  } catch (error) {
    desk.log.debug({ reason: messageOf(error) }, 'Telegram: who asks to join was not told');
  }
}
