import type { CommandRequest } from '#core/answerer';
import type { Call, Card } from '#core/card';
import type { Command } from '#core/command';
import { UserError } from '#core/errors';
import { textsFor } from '#core/texts/index';
import { sortWords } from '#core/typed/sort-words';
import { uploadUrl } from '#platforms/telegram/answer/photo';
import type { RepliedTo, TypedText } from '#platforms/telegram/answer/question';
import type { TelegramContext } from '#platforms/telegram/answer/telegram-context';

export type CommandCaller = Omit<CommandRequest, 'call'>;

/**
 * Runs a typed command.
 * @param replied supplies what's missing: a picture, or a wallet, by an address in the replied-to message or
 *   else by its author
 */
export async function askTyped(
  telegram: TelegramContext,
  typed: TypedText,
  asker: CommandCaller,
  replied: RepliedTo,
): Promise<Card> {
  const { locale } = asker;
  const texts = textsFor(locale);
  const command = telegram.answerer.commandNamed(typed.name);
  let call: Call = { command: typed.name, args: {} };
  if (command !== undefined) {
    try {
      const args = sortWords(command, texts, typed.rest);
      call = { command: command.name, args: withReplied(command, args, replied) };
    } catch (error) {
      if (error instanceof UserError) return telegram.answerer.refusal(error, locale);
      throw error;
    }
  }
  const uploadUrlOf = (picture: string) => uploadUrl(telegram, picture);
  return await telegram.answerer.answer({ call, ...asker, uploadUrl: uploadUrlOf });
}

/** Fills in arguments from the replied-to message; a wallet is more specific than its author. */
function withReplied(
  command: Command,
  args: Readonly<Record<string, string>>,
  { address, author, photo }: RepliedTo,
): Record<string, string> {
  const picture = command.options.find(({ kind }) => kind === 'picture')?.name;
  if (picture !== undefined) {
    // What was typed comes first.
    const isTyped = command.options.some(({ kind, name }) => kind === 'text' && name in args);
    return photo === undefined || isTyped ? args : { ...args, [picture]: photo };
  }
  const wallet = command.options.find(({ kind }) => kind === 'wallet')?.name;
  const member = command.options.find(({ kind }) => kind === 'member')?.name;
  if (wallet !== undefined && args[wallet] !== undefined) return args;
  if (wallet !== undefined && address !== undefined) return { ...args, [wallet]: address };
  return member === undefined || author === undefined ? args : { ...args, [member]: author };
}

/** Whether a card reports a problem instead of answering. */
export function isFailure(card: Card): boolean {
  return card.tone === 'error' || card.tone === 'warning';
}
