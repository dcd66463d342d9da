import type { Card } from '#core/card';
import { sendCard } from '#platforms/telegram/answer/deliver';
import type { Desk } from '#platforms/telegram/answer/desk';
import { privateChat } from '#platforms/telegram/answer/place';
import { isExpected } from '#platforms/telegram/connection/faults';
import { retryable } from '#platforms/telegram/gating/refusals';

/**
 * Sends a card about a group to someone's private chat.
 * @param locale of the card's language, if known
 * @returns false if the bot may not message them
 * @throws RetryableError
 */
export async function sendPrivately(
  desk: Desk,
  chatId: number,
  community: string,
  card: Card,
  locale?: string | undefined,
): Promise<boolean> {
  try {
    await sendCard(desk, privateChat(chatId), card, { locale, owner: undefined, community });
    return true;
  } catch (error) {
    if (isExpected(error)) return false;
    throw retryable(error, desk.log);
  }
}
