import {
  type APIApplicationCommandAutocompleteResponse,
  InteractionResponseType,
} from 'discord.js';
import type { ValueSuggestion } from '#command';
import type { Suggestion } from '#commands/answering';
import { COMMANDS } from '#platforms/discord/limits';
import { label } from '#platforms/discord/markdown/blocks';

/** The autocomplete response for a wallet. Names appear there without formatting. */
export function choicesOf(
  suggestions: readonly Suggestion[],
): APIApplicationCommandAutocompleteResponse {
  return valueChoices(suggestions.map(({ label, address }) => ({ label, value: address })));
}

/** The autocomplete response for an option with values of its own. */
export function valueChoices(
  suggestions: readonly ValueSuggestion[],
): APIApplicationCommandAutocompleteResponse {
  const choices = suggestions
    .filter(({ value }) => value.length > 0 && value.length <= COMMANDS.choiceValue)
    .slice(0, COMMANDS.choices)
    .map((each) => ({ name: label(each.label, COMMANDS.choiceName), value: each.value }));
  return { type: InteractionResponseType.ApplicationCommandAutocompleteResult, data: { choices } };
}
