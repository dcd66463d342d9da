import { type APIInteraction, InteractionResponseType, MessageFlags } from 'discord.js';
import { decodeCall } from '#core/call-code';
import type { Call } from '#core/card';
import type { Caller } from '#core/command';
import { noteCard } from '#core/note';
import { decodeForm, renderForm } from '#platforms/discord/forms';
import { renderCard } from '#platforms/discord/render';
import { callerOf } from './caller.ts';
import { suggestionChoices } from './choices.ts';
import type { Request } from './request.ts';
import { awaited, bugIn, type Outcome, type ReplyContext, show, textsOf } from './show.ts';

/**
 * Answers one request: acknowledges it first, within its three seconds, then asks and shows the card.
 * @param acknowledged called once Discord has taken the acknowledgement
 * @throws what Discord did not take
 */
export async function reply(
  context: ReplyContext,
  interaction: APIInteraction,
  request: Request,
  acknowledged: () => void,
): Promise<Outcome> {
  const { asked, answers } = context;
  switch (request.kind) {
    case 'suggest': {
      const suggestions = await asked.suggest(callerOf(interaction), request.typed);
      const choices = suggestionChoices(suggestions);
      return awaited(
        await answers.acknowledge(interaction, {
          type: InteractionResponseType.ApplicationCommandAutocompleteResult,
          data: { choices },
        }),
      );
    }
    case 'command':
      return anew(request.call);
    case 'press': {
      const pressed = ownedBy(decodeCall(request.code, asked.commands), interaction);
      if (typeof pressed === 'string') return refuse(context, interaction, pressed);
      return inPlace(pressed.call, request.hidden);
    }
    case 'open': {
      const form = ownedBy(decodeForm(request.code, asked.commands), interaction);
      if (typeof form === 'string') return refuse(context, interaction, form);
      const data = renderForm(request.code, request.title, form.option, textsOf(interaction));
      // Discord takes a form as the first answer alone, so that nothing may be deferred here.
      const taken = await answers.acknowledge(interaction, {
        type: InteractionResponseType.Modal,
        data,
      });
      if (taken) acknowledged();
      return awaited(taken);
    }
    case 'submit': {
      const form = ownedBy(decodeForm(request.code, asked.commands), interaction);
      if (typeof form === 'string') return refuse(context, interaction, form);
      const { command, args } = form.call;
      const call = { command, args: { ...args, [form.option.name]: request.text } };
      return request.on === undefined ? anew(call) : inPlace(call, request.on.hidden);
    }
  }

  /** The card comes as a message of its own. */
  async function anew(call: Call): Promise<Outcome> {
    const hidden = asked.commandNamed(call.command)?.private ?? true;
    if (!(await answers.defer(interaction, hidden))) return 'expired';
    acknowledged();
    return show(context, interaction, call, { hidden, thinking: true });
  }

  /** The card takes the place of the message whose button was pressed. */
  async function inPlace(call: Call, hidden: boolean): Promise<Outcome> {
    const update = { type: InteractionResponseType.DeferredMessageUpdate } as const;
    if (!(await answers.acknowledge(interaction, update))) return 'expired';
    acknowledged();
    return show(context, interaction, call, { hidden, thinking: false });
  }
}

/** What a code says, or the sentence that tells why it is not followed. */
function ownedBy<T extends { readonly isOwner: (caller: Caller) => boolean }>(
  decoded: T | undefined,
  interaction: APIInteraction,
): T | string {
  const { errors } = textsOf(interaction);
  if (decoded === undefined) return errors.oldButton;
  return decoded.isOwner(callerOf(interaction)) ? decoded : errors.notYours;
}

/** A sentence for the presser alone; the message stays as it is. */
async function refuse(
  { answers, log }: ReplyContext,
  interaction: APIInteraction,
  sentence: string,
): Promise<Outcome> {
  const note = noteCard('error', textsOf(interaction).errors.title, sentence);
  const owner = callerOf(interaction);
  const { embeds, allowed_mentions } = renderCard(note, { commands: [], owner, onBug: bugIn(log) });
  return awaited(
    await answers.acknowledge(interaction, {
      type: InteractionResponseType.ChannelMessageWithSource,
      data: { embeds, allowed_mentions, flags: MessageFlags.Ephemeral },
    }),
  );
}
