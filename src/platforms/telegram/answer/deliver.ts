import { encodeCall } from '#core/call-code';
import type { Card } from '#core/card';
import type { Caller } from '#core/command';
import { messageOf } from '#core/errors';
import { textsFor } from '#core/texts/index';
import { carry } from '#platforms/telegram/answer/carry';
import type { Desk } from '#platforms/telegram/answer/desk';
import { sendFile } from '#platforms/telegram/answer/file';
import { peopleIn } from '#platforms/telegram/answer/people';
import { at, type ChatPlace } from '#platforms/telegram/answer/place';
import { type Rendered, renderCard } from '#platforms/telegram/render/card';
import { defuseLinks } from '#platforms/telegram/render/defuse-links';
import { isExact } from '#platforms/telegram/render/exact';
import type { EncodeButton } from '#platforms/telegram/render/keyboard';

/** A message that can be edited. */
export type Shown =
  | { readonly chatId: number; readonly messageId: number }
  | { readonly inlineId: string };

/** A preview would show a page that a stranger chose, and covers what was asked for. */
export const NO_PREVIEW = { is_disabled: true } as const;

/** Whom a card is shown to. */
interface Audience {
  readonly locale: string | undefined;
  /** The only one who may press the buttons; undefined for anybody. */
  readonly owner: Caller | undefined;
  /** The group that it is about, where the chat doesn't tell it: buttons for moderators carry it. */
  readonly community: string | undefined;
}

/** A card for who may see everybody's name: in the private chat of a moderator nobody is called. */
export async function renderNamed(desk: Desk, card: Card, audience: Audience): Promise<Rendered> {
  const { community } = audience;
  const people = peopleIn(card);
  if (community === undefined || people.size === 0) return render(desk, card, audience);
  return render(desk, card, audience, await desk.people.namesOf(community, people));
}

export function render(
  desk: Desk,
  card: Card,
  { locale, owner, community }: Audience,
  names?: ReadonlyMap<string, string>,
): Rendered {
  for (const block of card.blocks) {
    if (block.kind === 'preformatted' && !isExact(block.text)) {
      desk.log.error({ length: block.text.length }, 'a bug: a text that can not be copied exactly');
    }
  }
  const reader = {
    language: textsFor(locale).languageTag,
    now: Math.floor(desk.clock() / 1000),
    ...(names !== undefined && { names }),
  };
  const encode: EncodeButton = (call) => {
    const command = desk.answerer.commandNamed(call.command);
    if (command === undefined) return undefined;
    try {
      const code = encodeCall(call, command, owner);
      const carries = community !== undefined && command.forModerators === true;
      return carries ? carry(code, community) : code;
    } catch (error) {
      desk.log.error({ command: call.command, reason: messageOf(error) }, 'a bug: no button');
      return undefined;
    }
  };
  return renderCard(card, reader, encode);
}

/** Sends a card, then its file if it has one. */
export async function sendCard(
  desk: Desk,
  place: ChatPlace,
  card: Card,
  audience: Audience,
): Promise<void> {
  const { text, entities, keyboard } = await renderNamed(desk, card, audience);
  await desk.api.sendMessage(place.chatId, text, {
    entities,
    link_preview_options: NO_PREVIEW,
    ...at(place),
    ...(keyboard !== undefined && { reply_markup: keyboard }),
  });
  await sendFile(desk, place, card);
}

/** A sentence of ours with one button at most. */
export async function sendSentence(
  desk: Desk,
  place: ChatPlace,
  sentence: string,
  link?: { readonly label: string; readonly url: string },
): Promise<void> {
  await desk.api.sendMessage(place.chatId, defuseLinks(sentence), {
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
