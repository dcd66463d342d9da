import type { APIApplicationCommandOptionChoice } from 'discord.js';
import type { Suggestion } from '#core/suggest';
import { COMMANDS } from '#platforms/discord/limits';
import { label } from '#platforms/discord/markdown/blocks';

/** Wallets as Discord offers them while somebody types. Names are shown there without formatting. */
export function suggestionChoices(
  suggestions: readonly Suggestion[],
): APIApplicationCommandOptionChoice<string>[] {
  return suggestions
    .filter(({ address }) => address.length > 0 && address.length <= COMMANDS.choiceValue)
    .slice(0, COMMANDS.choices)
    .map((each) => ({ name: label(each.label, COMMANDS.choiceName), value: each.address }));
}
