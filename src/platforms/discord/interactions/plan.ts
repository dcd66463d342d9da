import type { APIInteraction, APIInteractionResponse } from 'discord.js';
import { decodeCall } from '#command';
import { textsFor } from '#command/texts';
import { decodeForm } from '#platforms/discord/forms';
import { valueChoices } from './choices.ts';
import { firstAnswer } from './first-answer.ts';
import { type InteractionRequest, readInteraction } from './request.ts';
import type { FollowUp, InteractionAnswerer, ReplyContext } from './show.ts';

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
