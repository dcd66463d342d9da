import type { Card } from '#command';
import { sendCard } from '#platforms/telegram/answer/deliver';
import { privateChat } from '#platforms/telegram/answer/reply-target';
import type { TelegramContext } from '#platforms/telegram/answer/telegram-context';
import { isExpected } from '#platforms/telegram/connection/faults';
import { retryable } from './refusals.ts';

/**
 * Sends a card about a group to someone's private chat.
 * @param locale of the card's language, if known
 * @returns false if the bot may not message them
 * @throws RetryableError
 */
export async function sendPrivately(
  telegram: TelegramContext,
  chatId: number,
  community: string,
  card: Card,
  locale?: string | undefined,
): Promise<boolean> {
  try {
    await sendCard(telegram, privateChat(chatId), card, { locale, owner: undefined, community });
    return true;
  } catch (error) {
    if (isExpected(error)) return false;
    throw retryable(error, telegram.log);
  }
}
