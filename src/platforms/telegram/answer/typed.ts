import { sortWords } from '#core/arguments';
import type { Call, Card } from '#core/card';
import type { Caller } from '#core/command';
import { UserError } from '#core/errors';
import { textsFor } from '#core/texts/index';
import type { Desk } from '#platforms/telegram/answer/desk';
import type { Typed } from '#platforms/telegram/answer/question';

/**
 * Answers a command as it was typed.
 * @param replied an address in the message replied to, for a command that was given no wallet
 */
export async function askTyped(
  desk: Desk,
  typed: Typed,
  caller: Caller,
  locale: string | undefined,
  replied: string | undefined,
): Promise<Card> {
  const texts = textsFor(locale);
  const command = desk.answerer.commandNamed(typed.name);
  let call: Call = { command: typed.name, args: {} };
  if (command !== undefined) {
    try {
      const args = sortWords(command, texts, typed.words);
      const wallet = command.options.find((option) => option.kind === 'wallet');
      const missing = wallet !== undefined && args[wallet.name] === undefined;
      if (missing && replied !== undefined) args[wallet.name] = replied;
      call = { command: command.name, args };
    } catch (error) {
      if (error instanceof UserError) return desk.answerer.refusal(error, locale);
      throw error;
    }
  }
  return await desk.answerer.answer({ call, caller, locale });
}

/** Whether a card says that something went wrong, instead of an answer. */
export function isFailure(card: Card): boolean {
  return card.tone === 'error' || card.tone === 'warning';
}
