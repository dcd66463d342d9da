import { type APIInteraction, DiscordAPIError, HTTPError, RateLimitError } from 'discord.js';
import type { Answerer } from '#core/answerer';
import type { Call, Card } from '#core/card';
import type { Logger } from '#core/logger';
import { noteCard } from '#core/note';
import { type Texts, textsFor } from '#core/texts/index';
import { describe } from '#platforms/discord/describe';
import { renderCard } from '#platforms/discord/render';
import type { Answers } from './answers.ts';
import { callerOf } from './request.ts';

/** `expired`: nobody waited for the answer any more. `failed`: it could not be shown. */
export type Outcome = 'answered' | 'expired' | 'failed';

/** The part of the answerer that this room asks. */
export type Asked = Pick<Answerer, 'commands' | 'commandNamed' | 'answer' | 'suggest'>;

export interface ReplyContext {
  readonly asked: Asked;
  readonly answers: Answers;
  readonly log: Logger;
}

/** Where a card goes: whether only the asker sees that message, and whether it is still "thinking…". */
interface Place {
  readonly hidden: boolean;
  readonly thinking: boolean;
}

/** Shows a call's card. A private card never gets into a message that others see. */
export async function show(
  context: ReplyContext,
  interaction: APIInteraction,
  call: Call,
  { hidden, thinking }: Place,
): Promise<Outcome> {
  const { asked, answers, log } = context;
  const owner = callerOf(interaction);
  const onBug = bugIn(log, call.command);
  let inTheWay = thinking;
  const send = async (card: Card, isPrivate: boolean): Promise<boolean> => {
    const body = renderCard(card, { commands: asked.commands, owner, onBug });
    if (!isPrivate || hidden) return answers.edit(interaction, body);
    // The first message after "is thinking…" would take its place, for all to see.
    if (inTheWay && !(await answers.remove(interaction))) return false;
    inTheWay = false;
    return answers.whisper(interaction, body);
  };
  let isPrivate = hidden;
  try {
    const card = await asked.answer({ call, caller: owner, locale: localeOf(interaction) });
    isPrivate = card.private;
    return awaited(await send(card, isPrivate));
  } catch (error) {
    if (!isBug(error)) throw error;
    onBug(error);
    const { errors } = textsOf(interaction);
    // A card whose button was pressed is worth more than an apology: it stays.
    const shown = await send(noteCard('error', errors.title, errors.bug), isPrivate || !thinking);
    return shown ? 'failed' : 'expired';
  }
}

export function awaited(taken: boolean): Outcome {
  return taken ? 'answered' : 'expired';
}

/** Whether trying the same again can't help: something of ours threw, or Discord calls it malformed. */
function isBug(error: unknown): boolean {
  if (error instanceof DiscordAPIError) return error.status === 400;
  const passing = error instanceof HTTPError || error instanceof RateLimitError;
  return !passing && error instanceof Error && !('code' in error) && error.name !== 'AbortError';
}

function localeOf(interaction: APIInteraction): string | undefined {
  return 'locale' in interaction ? interaction.locale : undefined;
}

export function textsOf(interaction: APIInteraction): Texts {
  return textsFor(localeOf(interaction));
}

/** Logs what is a bug of ours, of a command's if one is named. */
export function bugIn(log: Logger, command?: string): (error: unknown) => void {
  const fields = command === undefined ? {} : { command };
  return (error) =>
    log.error({ ...fields, ...describe(error) }, 'a bug: Discord cannot show a card as it is');
}
