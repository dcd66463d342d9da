import {
  type APIApplicationCommandAutocompleteInteraction,
  type APIApplicationCommandInteractionDataOption,
  type APIChatInputApplicationCommandInteraction,
  type APIInteraction,
  type APIMessage,
  type APIMessageComponentInteraction,
  type APIModalSubmission,
  type APIModalSubmitInteraction,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ComponentType,
  InteractionType,
  MessageFlags,
} from 'discord.js';
import type { Call } from '#command';
import type { Answerer, Command } from '#commands/answering';
import { codeOf } from '#platforms/discord/components';
import { isFormCode } from '#platforms/discord/forms';

/** A member's request, parsed from an interaction. */
export type InteractionRequest =
  | { readonly kind: 'command'; readonly call: Call }
  | {
      readonly kind: 'suggest';
      readonly command: string;
      /** The option that's typed into. */
      readonly option: string | undefined;
      readonly typed: string;
    }
  /** A pressed button or selected entry. `hidden`: only the caller sees its message. */
  | { readonly kind: 'press'; readonly code: string; readonly hidden: boolean }
  /** A pressed button that opens a form. `title`: the button's label. */
  | { readonly kind: 'open'; readonly code: string; readonly title: string }
  /** A submitted form. `on`: the message whose button opened it. */
  | {
      readonly kind: 'submit';
      readonly code: string;
      readonly text: string;
      readonly on: { readonly hidden: boolean } | undefined;
    };

/** https://discord.com/developers/docs/reference#message-formatting */
const MENTION = /^\s*<@!?(\d{1,20})>\s*$/;

/** The part of the answerer that maps a subcommand to an argument. */
type Known = Pick<Answerer, 'commandNamed'>;

/** @returns undefined for what we never register or send */
export function readInteraction(
  interaction: APIInteraction,
  known: Known,
): InteractionRequest | undefined {
  switch (interaction.type) {
    case InteractionType.ApplicationCommand:
      if (interaction.data.type !== ApplicationCommandType.ChatInput) return undefined;
      return readCommand(interaction as APIChatInputApplicationCommandInteraction, known);
    case InteractionType.ApplicationCommandAutocomplete:
      return readSuggest(interaction);
    case InteractionType.MessageComponent:
      return readPress(interaction);
    case InteractionType.ModalSubmit:
      return readSubmit(interaction);
    default:
      return undefined;
  }
}

type GivenOptions<T extends InteractionType> =
  readonly APIApplicationCommandInteractionDataOption<T>[];

function readCommand(
  { data }: APIChatInputApplicationCommandInteraction,
  known: Known,
): InteractionRequest {
  const { options = [] } = data;
  const [first] = options;
  const command = known.commandNamed(data.name);
  if (first?.type !== ApplicationCommandOptionType.Subcommand) {
    const args = withMember(valuesOf(options, data), command);
    return { kind: 'command', call: { command: data.name, args } };
  }
  const name = command?.options[0]?.name;
  const args = valuesOf(first.options ?? [], data);
  return {
    kind: 'command',
    call: { command: data.name, args: name === undefined ? args : { ...args, [name]: first.name } },
  };
}

/**
 * What's typed behind a command goes into its first option, so a member may be mentioned in the one
 * for wallets.
 */
function withMember(
  args: Readonly<Record<string, string>>,
  command: Command | undefined,
): Readonly<Record<string, string>> {
  const wallet = command?.options.find(({ kind }) => kind === 'wallet')?.name ?? '';
  const member = command?.options.find(({ kind }) => kind === 'member')?.name;
  const mentioned = MENTION.exec(args[wallet] ?? '')?.[1];
  if (mentioned === undefined || member === undefined) return args;
  const { [wallet]: _, ...others } = args;
  return { [member]: mentioned, ...others };
}

function valuesOf(
  options: GivenOptions<InteractionType.ApplicationCommand>,
  { resolved }: Pick<APIChatInputApplicationCommandInteraction['data'], 'resolved'>,
): Record<string, string> {
  const values: Record<string, string> = {};
  for (const option of options) {
    if (!('value' in option)) continue;
    const isUpload = option.type === ApplicationCommandOptionType.Attachment;
    const value = isUpload ? resolved?.attachments?.[option.value]?.url : option.value;
    if (value !== undefined) values[option.name] = String(value);
  }
  return values;
}

function readSuggest({ data }: APIApplicationCommandAutocompleteInteraction): InteractionRequest {
  const focused = focusedIn(data.options);
  return {
    kind: 'suggest',
    command: data.name,
    option: focused?.name,
    typed: focused?.value ?? '',
  };
}

/** The option of the command or its subcommand that's typed into. */
function focusedIn(
  options: GivenOptions<InteractionType.ApplicationCommandAutocomplete>,
): { readonly name: string; readonly value: string } | undefined {
  for (const option of options) {
    if (option.type === ApplicationCommandOptionType.Subcommand)
      return focusedIn(option.options ?? []);
    if (option.type === ApplicationCommandOptionType.String && option.focused) return option;
  }
  return undefined;
}

function readPress({
  data,
  message,
}: APIMessageComponentInteraction): InteractionRequest | undefined {
  const hidden = isHidden(message);
  if (data.component_type === ComponentType.Button) {
    const code = codeOf(data.custom_id);
    if (!isFormCode(code)) return { kind: 'press', code, hidden };
    return { kind: 'open', code, title: labelOf(message, data.custom_id) };
  }
  const chosen = data.component_type === ComponentType.StringSelect ? data.values[0] : undefined;
  return chosen === undefined ? undefined : { kind: 'press', code: codeOf(chosen), hidden };
}

function readSubmit({ data, message }: APIModalSubmitInteraction): InteractionRequest {
  const on = message === undefined ? undefined : { hidden: isHidden(message) };
  return { kind: 'submit', code: data.custom_id, text: textIn(data), on };
}

function isHidden({ flags }: APIMessage): boolean {
  return ((flags ?? 0) & MessageFlags.Ephemeral) !== 0;
}

/** The label of a message's button. */
function labelOf({ components = [] }: APIMessage, customId: string): string {
  const parts = components.flatMap((part) =>
    part.type === ComponentType.Container ? part.components : [part],
  );
  for (const row of parts) {
    for (const part of row.type === ComponentType.ActionRow ? row.components : []) {
      if ('custom_id' in part && part.custom_id === customId && 'label' in part) {
        return part.label ?? '';
      }
    }
  }
  return '';
}

/** The value of a form's only input. */
function textIn({ components }: APIModalSubmission): string {
  for (const part of components) {
    if (part.type !== ComponentType.Label) continue;
    if (part.component.type === ComponentType.TextInput) return part.component.value;
  }
  return '';
}
