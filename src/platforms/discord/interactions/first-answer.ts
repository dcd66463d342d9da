import {
  type APIInteraction,
  type APIInteractionResponse,
  InteractionResponseType,
  MessageFlags,
} from 'discord.js';
import { type Call, type Caller, decodeCall, noteCard } from '#command';
import { decodeForm, renderForm } from '#platforms/discord/forms';
import { renderCard } from '#platforms/discord/render';
import { callerOf } from './caller.ts';
import type { InteractionRequest } from './request.ts';
import { bugIn, type FollowUp, type ReplyContext, textsOf } from './show.ts';

/** An interaction's immediate answer, and the work that remains. */
interface FirstAnswer {
  readonly body: APIInteractionResponse;
  readonly followUp: FollowUp | undefined;
}

/** Chooses the first answer. */
export function firstAnswer(
  context: Pick<ReplyContext, 'asked' | 'log'>,
  interaction: APIInteraction,
  request: Exclude<InteractionRequest, { readonly kind: 'suggest' }>,
): FirstAnswer {
  const { asked } = context;
  switch (request.kind) {
    case 'command':
      return anew(request.call);
    case 'press': {
      const pressed = ownedBy(decodeCall(request.code, asked.commands), interaction);
      if (typeof pressed === 'string') return refusal(context, interaction, pressed);
      return inPlace(pressed.call, request.hidden);
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
      return request.on === undefined ? anew(call) : inPlace(call, request.on.hidden);
    }
  }

  /** "Fathom is thinking…", for everyone or only for the caller; the card replaces it. */
  function anew(call: Call): FirstAnswer {
    const hidden = asked.commandNamed(call.command)?.private ?? true;
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
