import type { ChatJoinRequest } from 'grammy/types';
import { messageOf } from '#base';
import { within } from '#base/waiting';
import type { Card } from '#command';
import type { GateEvents } from '#gating';
import type { TelegramContext } from '#platforms/telegram/answer/telegram-context';
import type { TelegramKeeper } from './keeper.ts';
import { groupOf } from './members.ts';
import { sendPrivately } from './send.ts';

/** Dependencies of answering join requests. */
export interface Entrance {
  readonly telegram: TelegramContext;
  readonly keeper: TelegramKeeper;
  readonly gate: GateEvents;
  /** Milliseconds that a request waits for its answer. */
  readonly joinMs: number;
}

/**
 * Passes join requests on, and tells those who have to wait what they need. For five minutes, or
 * until it's answered, a request lets the bot message someone who never pressed Start
 * (https://core.telegram.org/bots/api#chatjoinrequest).
 */
export async function onJoinRequest(entrance: Entrance, request: ChatJoinRequest): Promise<void> {
  const { gate, telegram, joinMs } = entrance;
  const community = groupOf(request.chat);
  if (community === undefined) return;
  const { from } = request;
  telegram.people.note(from);
  const asked = gate.requested(community, String(from.id), from.language_code);
  const card = await within(asked, joinMs, () => 'late' as const);
  if (card === 'late') {
    // After that time they're told nothing more, but may still be admitted.
    asked.catch((error: unknown) => {
      telegram.log.error({ reason: messageOf(error) }, "bug: a request to join wasn't answered");
    });
  } else if (card !== undefined) await tell(entrance, request, card);
}

/** It's harmless if nobody reads it. */
async function tell({ telegram }: Entrance, request: ChatJoinRequest, card: Card): Promise<void> {
  const { user_chat_id: chatId, chat, from } = request;
  try {
    await sendPrivately(telegram, chatId, String(chat.id), card, from.language_code);
  } catch (error) {
    telegram.log.debug({ reason: messageOf(error) }, 'Telegram: could not notify an applicant');
  }
}
