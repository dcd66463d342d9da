import { type APIInteraction, DiscordAPIError, HTTPError, RateLimitError } from 'discord.js';
import type { Logger } from '#base';
import { type Call, type Card, type CardPicture, noteCard, pictureOn } from '#command';
import { type Texts, textsFor } from '#command/texts';
import type { Answerer } from '#commands/answering';
import { errorFields } from '#platforms/discord/logging';
import { type MessageBody, renderCard, renderPlainly } from '#platforms/discord/render/card';
import type { CardAttachments } from '#platforms/discord/render/container';
import { PICTURE_NAME, pictureUpload, type Upload, uploadOf } from '#platforms/discord/render/file';
import { type Answers, isOnComponents } from './answers.ts';
import { callerOf, isModerator, type PermissionsOf } from './caller.ts';

/** `expired`: the answer was no longer wanted. `failed`: we couldn't show it. */
export type ResponseOutcome = 'answered' | 'expired' | 'failed';

/** The part of the answerer that we use. */
export type InteractionAnswerer = Pick<
  Answerer,
  'commands' | 'commandNamed' | 'answer' | 'suggest' | 'suggestBadges'
>;

export interface ReplyContext {
  readonly asked: InteractionAnswerer;
  readonly answers: Answers;
  readonly permissionsOf: PermissionsOf;
  readonly log: Logger;
}

/** What goes out with a card. */
interface Attached {
  readonly upload?: Upload | undefined;
  readonly picture?: CardPicture | undefined;
}

/** The call to make for an interaction, and where its card goes. */
export interface FollowUp {
  readonly call: Call;
  /** Whether only the caller sees that message. */
  readonly hidden: boolean;
  /** Whether it is still "thinking…". */
  readonly thinking: boolean;
}

/**
 * Shows a call's card. A private card never gets into a message that others see.
 * @param isRepeated whether another replica may have run it already, in whole or in part
 */
export async function show(
  context: ReplyContext,
  interaction: APIInteraction,
  { call, hidden, thinking }: FollowUp,
  isRepeated = false,
): Promise<ResponseOutcome> {
  const { asked, answers, permissionsOf, log } = context;
  const owner = callerOf(interaction);
  const onBug = bugIn(log, call.command);
  let inTheWay = thinking;
  const send = async (
    card: Card,
    isPrivate: boolean,
    attached: Attached = {},
  ): Promise<boolean> => {
    const components = { commands: asked.commands, owner, onBug };
    const shown = shownOf(attached);
    const inPlace = !isPrivate || hidden;
    try {
      return await post(renderCard(card, components, shown), inPlace, attached.upload);
    } catch (error) {
      // A message that consists of components can't become another.
      if (!isMalformed(error) || (inPlace && !thinking && isOnComponents(interaction))) throw error;
      log.warn({ command: call.command, ...errorFields(error) }, 'Discord rejected components');
      return post(renderPlainly(card, components, shown), inPlace, attached.upload);
    }
  };
  const post = async (body: MessageBody, inPlace: boolean, upload?: Upload): Promise<boolean> => {
    if (inPlace) return answers.edit(interaction, body, upload);
    // The first message after "is thinking…" would replace it, for all to see. The other replica
    // may have deleted it and got no further.
    if (inTheWay && !(await answers.remove(interaction)) && !isRepeated) return false;
    inTheWay = false;
    return answers.whisper(interaction, body, upload);
  };
  const sendWithFile = async (card: Card): Promise<boolean> => {
    const picture = await pictureOn(card);
    const upload = uploadIn(card, onBug) ?? pictureUpload(picture);
    try {
      return await send(card, card.private, { upload, picture });
    } catch (error) {
      if (upload === undefined || !isRefused(error)) throw error;
      // Too big for this server, or forbidden in this channel: the card still goes out.
      log.warn({ command: call.command, ...errorFields(error) }, 'Discord rejected a file');
      return send(card, card.private);
    }
  };
  let isPrivate = hidden;
  try {
    const card = await asked.answer({
      call,
      caller: owner,
      locale: localeOf(interaction),
      isModerator: () => isModerator(interaction, permissionsOf),
      isRepeated,
    });
    isPrivate = card.private;
    return awaited(await sendWithFile(card));
  } catch (error) {
    if (!isBug(error)) throw error;
    onBug(error);
    const { errors } = textsOf(interaction);
    // Keep the card whose button was pressed: it's worth more than an apology.
    const shown = await send(noteCard('error', errors.title, errors.bug), isPrivate || !thinking);
    return shown ? 'failed' : 'expired';
  }
}

export function awaited(taken: boolean): ResponseOutcome {
  return taken ? 'answered' : 'expired';
}

function shownOf({ upload, picture }: Attached): CardAttachments {
  const fileName = upload?.name === PICTURE_NAME ? undefined : upload?.name;
  return { picture, fileName };
}

/** Whether Discord calls our request malformed. */
function isMalformed(error: unknown): boolean {
  return error instanceof DiscordAPIError && error.status === 400;
}

/** A card's file; one that can't be sent is a bug of its command and is left out. */
function uploadIn(card: Card, onBug: (error: unknown) => void): Upload | undefined {
  try {
    return uploadOf(card);
  } catch (error) {
    onBug(error);
    return undefined;
  }
}

/** Whether Discord rejected our request, and would again. */
function isRefused(error: unknown): boolean {
  return error instanceof DiscordAPIError && error.status < 500;
}

/** Whether retrying is pointless: our code threw, or Discord calls the request malformed. */
function isBug(error: unknown): boolean {
  if (error instanceof DiscordAPIError) return isMalformed(error);
  const passing = error instanceof HTTPError || error instanceof RateLimitError;
  return !passing && error instanceof Error && !('code' in error) && error.name !== 'AbortError';
}

function localeOf(interaction: APIInteraction): string | undefined {
  return 'locale' in interaction ? interaction.locale : undefined;
}

export function textsOf(interaction: APIInteraction): Texts {
  return textsFor(localeOf(interaction));
}

/** Logs a bug, of the command if one is named. */
export function bugIn(log: Logger, command?: string): (error: unknown) => void {
  const fields = command === undefined ? {} : { command };
  return (error) =>
    log.error({ ...fields, ...errorFields(error) }, "bug: Discord can't show a card");
}
