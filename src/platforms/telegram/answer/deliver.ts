import { encodeCall } from '#core/call-code';
import type { Card } from '#core/card';
import type { Caller } from '#core/command';
import { messageOf } from '#core/errors';
import { textsFor } from '#core/texts/index';
import type { Desk } from '#platforms/telegram/answer/desk';
import { type Rendered, renderCard } from '#platforms/telegram/render/card';
import { inert } from '#platforms/telegram/render/inert';
import type { EncodeButton } from '#platforms/telegram/render/keyboard';

/** Where an answer goes. */
export interface Place {
  readonly chatId: number;
  /** The topic, in a chat that has topics. */
  readonly threadId: number | undefined;
  /** The message that asked, where others write in between. */
  readonly replyTo: number | undefined;
}

/** A message that can be edited. */
export type Shown =
  | { readonly chatId: number; readonly messageId: number }
  | { readonly inlineId: string };

/** A preview would show a page that a stranger chose, and covers what was asked for. */
export const NO_PREVIEW = { is_disabled: true } as const;

/** @param owner the only one who may press the buttons; undefined for anybody */
export function render(
  desk: Desk,
  card: Card,
  locale: string | undefined,
  owner: Caller | undefined,
): Rendered {
  const reader = { language: textsFor(locale).languageTag, now: Math.floor(desk.clock() / 1000) };
  const encode: EncodeButton = (call) => {
    const command = desk.answerer.commandNamed(call.command);
    if (command === undefined) return undefined;
    try {
      return encodeCall(call, command, owner);
    } catch (error) {
      desk.log.error({ command: call.command, reason: messageOf(error) }, 'a bug: no button');
      return undefined;
    }
  };
  return renderCard(card, reader, encode);
}

export async function send(desk: Desk, place: Place, rendered: Rendered): Promise<void> {
  const { text, entities, keyboard } = rendered;
  await desk.api.sendMessage(place.chatId, text, {
    entities,
    link_preview_options: NO_PREVIEW,
    ...at(place),
    ...(keyboard !== undefined && { reply_markup: keyboard }),
  });
}

/** A sentence of ours with one button at most. */
export async function sendSentence(
  desk: Desk,
  place: Place,
  sentence: string,
  link?: { readonly label: string; readonly url: string },
): Promise<void> {
  await desk.api.sendMessage(place.chatId, inert(sentence), {
    link_preview_options: NO_PREVIEW,
    ...at(place),
    ...(link !== undefined && {
      reply_markup: { inline_keyboard: [[{ text: link.label, url: link.url }]] },
    }),
  });
}

/** Puts another card in the place of the one shown. */
export async function edit(desk: Desk, shown: Shown, rendered: Rendered): Promise<void> {
  const { text, entities, keyboard } = rendered;
  const rest = {
    entities,
    link_preview_options: NO_PREVIEW,
    // Without it the buttons of the card before would stay.
    reply_markup: keyboard ?? { inline_keyboard: [] },
  };
  if ('inlineId' in shown) await desk.api.editMessageTextInline(shown.inlineId, text, rest);
  else await desk.api.editMessageText(shown.chatId, shown.messageId, text, rest);
}

function at({ threadId, replyTo }: Place) {
  return {
    ...(threadId !== undefined && { message_thread_id: threadId }),
    ...(replyTo !== undefined && {
      // The question may be deleted meanwhile.
      reply_parameters: { message_id: replyTo, allow_sending_without_reply: true },
    }),
  };
}
