import type { APIInteraction } from 'discord.js';
import { callerOf } from './caller.ts';
import { choicesOf } from './choices.ts';
import type { Plan } from './plan.ts';
import { awaited, type ReplyContext, type ResponseOutcome, show } from './show.ts';

/**
 * Answers an interaction from the gateway: acknowledges it within three seconds, then runs the
 * command and shows the card.
 * @param acknowledged called once Discord has accepted the acknowledgement
 * @throws what Discord rejected
 */
export async function reply(
  context: ReplyContext,
  interaction: APIInteraction,
  plan: Plan,
  acknowledged: () => void,
): Promise<ResponseOutcome> {
  const { asked, answers } = context;
  if (plan.kind === 'choices') {
    const suggestions = await asked.suggest(callerOf(interaction), plan.typed);
    return awaited(await answers.acknowledge(interaction, choicesOf(suggestions)));
  }
  if (!(await answers.acknowledge(interaction, plan.body))) return 'expired';
  acknowledged();
  return plan.followUp === undefined ? 'answered' : show(context, interaction, plan.followUp);
}
