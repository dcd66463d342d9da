import {
  type APIApplicationCommandAutocompleteInteraction,
  type APIApplicationCommandAutocompleteResponse,
  type APIApplicationCommandInteractionDataOption,
  type APIChatInputApplicationCommandInteraction,
  type APIInteraction,
  type APIInteractionResponse,
  type APIMessage,
  type APIMessageComponentInteraction,
  type APIModalSubmission,
  type APIModalSubmitInteraction,
  type APIUserApplicationCommandInteraction,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ComponentType,
  InteractionResponseType,
  InteractionType,
  MessageFlags,
} from 'discord.js';
import { withoutQuotes } from '#base';
import { type Call, type Caller, decodeCall, noteCard, type ValueSuggestion } from '#command';
import { textsFor } from '#command/texts';
import type { Answerer, Command, Suggestion } from '#commands/answering';
import { isInMemberMenu } from '#platforms/discord/command-data';
import { COMMANDS } from '#platforms/discord/limits';
import { label } from '#platforms/discord/render/blocks';
import { renderCard } from '#platforms/discord/render/card';
import {
  codeOf,
  decodeForm,
  FOR_PRESSER,
  isFormCode,
  renderForm,
} from '#platforms/discord/render/components';
import { withoutCommand } from '#wallet';
import { callerOf } from './caller.ts';
import {
  bugIn,
  type FollowUp,
  type InteractionAnswerer,
  type ReplyContext,
  textsOf,
} from './show.ts';

/** How to handle an interaction. */
export type Plan =
  /** Autocomplete for a wallet. */
  | { readonly kind: 'choices'; readonly name: string; readonly typed: string }
  | {
      readonly kind: 'answer';
      readonly name: string;
      /** The first answer. */
      readonly body: APIInteractionResponse;
      /** Work after it; undefined if the first answer is everything. */
      readonly followUp: FollowUp | undefined;
    };

/**
 * Reads an interaction. Pure, so every replica and every call agrees.
 * @returns undefined for what we never register or send
 */
export function planOf(
  context: Pick<ReplyContext, 'asked' | 'log'>,
  interaction: APIInteraction,
): Plan | undefined {
  const request = readInteraction(interaction, context.asked);
  if (request === undefined) return undefined;
  const name = nameOf(request, context.asked);
  if (request.kind === 'suggest') {
    const body = ownChoices(context, interaction, request);
    if (body !== undefined) return { kind: 'answer', name, body, followUp: undefined };
    return { kind: 'choices', name, typed: request.typed };
  }
  return { kind: 'answer', name, ...firstAnswer(context, interaction, request) };
}

/** What an option itself offers; undefined for wallets, which take longer. */
function ownChoices(
  { asked }: Pick<ReplyContext, 'asked'>,
  { locale }: APIInteraction & { readonly locale?: string },
  { command, option: name, typed }: Extract<InteractionRequest, { kind: 'suggest' }>,
): APIInteractionResponse | undefined {
  const option = asked.commandNamed(command)?.options.find((each) => each.name === name);
  if (option?.kind === 'badge') return valueChoices(asked.suggestBadges(typed));
  if (option?.kind !== 'text' || option.suggest === undefined) return undefined;
  return valueChoices(option.suggest(typed, textsFor(locale)));
}

/** From a fixed set, whatever was sent: it becomes a metric label. */
function nameOf(request: InteractionRequest, asked: InteractionAnswerer): string {
  if (request.kind === 'suggest') return 'autocomplete';
  if (request.kind === 'command')
    return asked.commandNamed(request.call.command)?.name ?? 'unknown';
  const decode = request.kind === 'press' ? decodeCall : decodeForm;
  return decode(request.code, asked.commands)?.call.command ?? 'unknown';
}

/** An interaction's immediate answer, and the work that remains. */
interface FirstAnswer {
  readonly body: APIInteractionResponse;
  readonly followUp: FollowUp | undefined;
}

/** Chooses the first answer. */
function firstAnswer(
  context: Pick<ReplyContext, 'asked' | 'log'>,
  interaction: APIInteraction,
  request: Exclude<InteractionRequest, { readonly kind: 'suggest' }>,
): FirstAnswer {
  const { asked } = context;
  switch (request.kind) {
    case 'command':
      return inNewMessage(request.call);
    case 'press': {
      const pressed = ownedBy(decodeCall(request.code, asked.commands), interaction);
      if (typeof pressed === 'string') return refusal(context, interaction, pressed);
      return request.isApart
        ? inNewMessage(pressed.call, true)
        : inPlace(pressed.call, request.hidden);
    }
    case 'open': {
      const form = ownedBy(decodeForm(request.code, asked.commands), interaction);
      if (typeof form === 'string') return refusal(context, interaction, form);
      const data = renderForm(request.code, request.title, form.option, textsOf(interaction));
      // Discord only accepts a form as the first answer, so we can't defer here.
      return { body: { type: InteractionResponseType.Modal, data }, followUp: undefined };
    }
    case 'submit': {
      const form = ownedBy(decodeForm(request.code, asked.commands), interaction);
      if (typeof form === 'string') return refusal(context, interaction, form);
      const { command, args } = form.call;
      const call = { command, args: { ...args, [form.option.name]: request.text } };
      return request.on === undefined ? inNewMessage(call) : inPlace(call, request.on.hidden);
    }
  }

  /** "Fathom is thinking…", for everyone or only for the caller; the card replaces it. */
  function inNewMessage(
    call: Call,
    hidden = asked.commandNamed(call.command)?.private ?? true,
  ): FirstAnswer {
    return {
      body: {
        type: InteractionResponseType.DeferredChannelMessageWithSource,
        ...(hidden && { data: { flags: MessageFlags.Ephemeral } }),
      },
      followUp: { call, hidden, thinking: true },
    };
  }
}

/** The card replaces the message whose button was pressed. */
function inPlace(call: Call, hidden: boolean): FirstAnswer {
  return {
    body: { type: InteractionResponseType.DeferredMessageUpdate },
    followUp: { call, hidden, thinking: false },
  };
}

/** Decodes a code, or returns the text that explains why it's rejected. */
function ownedBy<T extends { readonly isOwner: (caller: Caller) => boolean }>(
  decoded: T | undefined,
  interaction: APIInteraction,
): T | string {
  const { errors } = textsOf(interaction);
  if (decoded === undefined) return errors.oldButton;
  return decoded.isOwner(callerOf(interaction)) ? decoded : errors.notYours;
}

/** A text only the caller sees; the message stays as it is. */
function refusal(
  { log }: Pick<ReplyContext, 'log'>,
  interaction: APIInteraction,
  sentence: string,
): FirstAnswer {
  const note = noteCard('error', textsOf(interaction).errors.title, sentence);
  const owner = callerOf(interaction);
  const message = renderCard(note, { commands: [], owner, onBug: bugIn(log) });
  return {
    body: {
      type: InteractionResponseType.ChannelMessageWithSource,
      data: { ...message, flags: (message.flags ?? 0) | MessageFlags.Ephemeral },
    },
    followUp: undefined,
  };
}

/** The autocomplete response for a wallet. Names appear there without formatting. */
export function choicesOf(
  suggestions: readonly Suggestion[],
): APIApplicationCommandAutocompleteResponse {
  return valueChoices(suggestions.map(({ label, address }) => ({ label, value: address })));
}

/** The autocomplete response for an option with values of its own. */
function valueChoices(
  suggestions: readonly ValueSuggestion[],
): APIApplicationCommandAutocompleteResponse {
  const choices = suggestions
    .filter(({ value }) => value.length > 0 && value.length <= COMMANDS.choiceValue)
    .slice(0, COMMANDS.choices)
    .map((each) => ({ name: label(each.label, COMMANDS.choiceName), value: each.value }));
  return { type: InteractionResponseType.ApplicationCommandAutocompleteResult, data: { choices } };
}

/** A member's request, parsed from an interaction. */
type InteractionRequest =
  | { readonly kind: 'command'; readonly call: Call }
  | {
      readonly kind: 'suggest';
      readonly command: string;
      /** The option that's typed into. */
      readonly option: string | undefined;
      readonly typed: string;
    }
  /**
   * A pressed button or selected entry. `hidden`: only the caller sees its message. `isApart`: that stays as
   * it is.
   */
  | {
      readonly kind: 'press';
      readonly code: string;
      readonly hidden: boolean;
      readonly isApart?: boolean;
    }
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
const MENTION = /^(?:<@!?(\d{1,20})>|(\d{17,20}))\s*[.,]?$/;

/** The part of the answerer that says what a command is called, and what its options are. */
type Known = Pick<Answerer, 'commandNamed' | 'commands'>;

/** @returns undefined for what we never register or send */
function readInteraction(
  interaction: APIInteraction,
  known: Known,
): InteractionRequest | undefined {
  switch (interaction.type) {
    case InteractionType.ApplicationCommand:
      if (interaction.data.type === ApplicationCommandType.User) {
        return readMenu(interaction as APIUserApplicationCommandInteraction, known);
      }
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

/** A command from the menu on a member is about that member. */
function readMenu(
  { data }: APIUserApplicationCommandInteraction,
  { commands }: Known,
): InteractionRequest | undefined {
  const command = commands.find((each) => isInMemberMenu(each, data.name));
  const member = command?.options.find(({ kind }) => kind === 'member')?.name;
  if (command === undefined || member === undefined) return undefined;
  return { kind: 'command', call: { command: command.name, args: { [member]: data.target_id } } };
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
  // Or named by their id, as Discord's menus copy it.
  const [, mention, id] = MENTION.exec(withoutCommand(withoutQuotes(args[wallet] ?? ''))) ?? [];
  const mentioned = mention ?? id;
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
    if (code.startsWith(FOR_PRESSER)) {
      return { kind: 'press', code: code.slice(FOR_PRESSER.length), hidden, isApart: true };
    }
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
