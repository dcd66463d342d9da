import {
  type APIApplicationCommandAutocompleteResponse,
  InteractionResponseType,
} from 'discord.js';
import type { Suggestion } from '#core/suggest';
import { COMMANDS } from '#platforms/discord/limits';
import { label } from '#platforms/discord/markdown/blocks';

/** The autocomplete response for a wallet. Names appear there without formatting. */
export function choicesOf(
  suggestions: readonly Suggestion[],
): APIApplicationCommandAutocompleteResponse {
  const choices = suggestions
    .filter(({ address }) => address.length > 0 && address.length <= COMMANDS.choiceValue)
    .slice(0, COMMANDS.choices)
    .map((each) => ({ name: label(each.label, COMMANDS.choiceName), value: each.address }));
  return { type: InteractionResponseType.ApplicationCommandAutocompleteResult, data: { choices } };
}
