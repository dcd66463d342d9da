import {
  type APIApplicationCommandAutocompleteInteraction,
  type APIChatInputApplicationCommandInteraction,
  type APIInteraction,
  type APIMessageComponentInteraction,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ComponentType,
  InteractionType,
  MessageFlags,
} from 'discord.js';
import type { Call } from '#core/card';
import type { Caller } from '#core/command';
import { codeOf } from '#platforms/discord/components';

/** What somebody wants of us, read from an interaction. */
export type Request =
  | { readonly kind: 'command'; readonly call: Call }
  | { readonly kind: 'suggest'; readonly command: string; readonly typed: string }
  /** A pressed button or a chosen entry. `hidden`: only its presser sees the message it is on. */
  | { readonly kind: 'press'; readonly code: string; readonly hidden: boolean };

/** @returns undefined for what we never register or send */
export function readRequest(interaction: APIInteraction): Request | undefined {
  switch (interaction.type) {
    case InteractionType.ApplicationCommand:
      if (interaction.data.type !== ApplicationCommandType.ChatInput) return undefined;
      return readCommand(interaction as APIChatInputApplicationCommandInteraction);
    case InteractionType.ApplicationCommandAutocomplete:
      return readSuggest(interaction);
    case InteractionType.MessageComponent:
      return readPress(interaction);
    default:
      return undefined;
  }
}

/** The one who did it; a member's user in a server, the user itself elsewhere. */
export function callerOf(interaction: APIInteraction): Caller {
  return { platform: 'discord', id: (interaction.member?.user ?? interaction.user)?.id ?? '' };
}

function readCommand({ data }: APIChatInputApplicationCommandInteraction): Request {
  const args: Record<string, string> = {};
  for (const option of data.options ?? []) {
    if ('value' in option) args[option.name] = String(option.value);
  }
  return { kind: 'command', call: { command: data.name, args } };
}

function readSuggest({ data }: APIApplicationCommandAutocompleteInteraction): Request {
  for (const option of data.options) {
    if (option.type === ApplicationCommandOptionType.String && option.focused) {
      return { kind: 'suggest', command: data.name, typed: option.value };
    }
  }
  return { kind: 'suggest', command: data.name, typed: '' };
}

function readPress({ data, message }: APIMessageComponentInteraction): Request | undefined {
  const hidden = ((message.flags ?? 0) & MessageFlags.Ephemeral) !== 0;
  if (data.component_type === ComponentType.Button) {
    return { kind: 'press', code: codeOf(data.custom_id), hidden };
  }
  const chosen = data.component_type === ComponentType.StringSelect ? data.values[0] : undefined;
  return chosen === undefined ? undefined : { kind: 'press', code: codeOf(chosen), hidden };
}
