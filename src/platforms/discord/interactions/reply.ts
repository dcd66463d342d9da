import { type APIInteraction, InteractionResponseType, MessageFlags } from 'discord.js';
import { decodeCall } from '#core/call-code';
import { noteCard } from '#core/note';
import { renderCard } from '#platforms/discord/render';
import { suggestionChoices } from './choices.ts';
import { callerOf, type Request } from './request.ts';
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
  const caller = callerOf(interaction);
  if (request.kind === 'suggest') {
    const suggestions = await asked.suggest(caller, request.typed);
    const choices = suggestionChoices(suggestions);
    return awaited(
      await answers.acknowledge(interaction, {
        type: InteractionResponseType.ApplicationCommandAutocompleteResult,
        data: { choices },
      }),
    );
  }
  if (request.kind === 'press') {
    const decoded = decodeCall(request.code, asked.commands);
    const { errors } = textsOf(interaction);
    if (decoded === undefined) return refuse(context, interaction, errors.oldButton);
    if (!decoded.isOwner(caller)) return refuse(context, interaction, errors.notYours);
    const update = { type: InteractionResponseType.DeferredMessageUpdate } as const;
    if (!(await answers.acknowledge(interaction, update))) return 'expired';
    acknowledged();
    return show(context, interaction, decoded.call, { hidden: request.hidden, thinking: false });
  }
  const hidden = asked.commandNamed(request.call.command)?.private ?? true;
  if (!(await answers.defer(interaction, hidden))) return 'expired';
  acknowledged();
  return show(context, interaction, request.call, { hidden, thinking: true });
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
