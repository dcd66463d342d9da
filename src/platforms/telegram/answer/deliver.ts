import { InputFile } from 'grammy';
import { messageOf } from '#base';
import {
  type Caller,
  type Card,
  type CardFile,
  type CardPicture,
  encodeCall,
  FILE_MAX,
  pictureOn,
} from '#command';
import { textsFor } from '#command/texts';
import { codeOfCall, describeCall, isExpected } from '#platforms/telegram/connection/faults';
import { FILE_NAME_MAX } from '#platforms/telegram/limits';
import {
  type EncodeButton,
  NO_PREVIEW,
  type Rendered,
  renderCard,
} from '#platforms/telegram/render/card';
import { defuseLinks, isExact } from '#platforms/telegram/render/rich-text';
import { carriesCommunity, encodeButtonData } from './button-data.ts';
import { lookAlikes } from './look-alikes.ts';
import { peopleIn } from './people.ts';
import { at, isPrivate, type ReplyTarget } from './reply-target.ts';
import { deepLink, type TelegramContext } from './telegram-context.ts';
import { sendOrLeave } from './wait-to-send.ts';

/** A message that can be edited. */
export type EditableMessage =
  | { readonly chatId: number; readonly messageId: number }
  | { readonly inlineId: string };

interface Audience {
  readonly locale: string | undefined;
  /** The only user who may press the buttons; undefined if everyone may. */
  readonly owner: Caller | undefined;
  /** The card's group, if it's shown outside it: moderators' buttons then carry it. */
  readonly community: string | undefined;
  /** The group where it's shown: members are called by their names, and links to the private chat name it. */
  readonly group?: string | undefined;
}

interface Extras {
  readonly names?: ReadonlyMap<string, string> | undefined;
  readonly isQuiet?: boolean;
  readonly picture?: CardPicture | undefined;
}

/** Renders a card with members' names: in a private chat as mentions, in a group so that nobody is notified. */
export async function renderNamed(
  telegram: TelegramContext,
  card: Card,
  audience: Audience,
  picture?: CardPicture,
): Promise<Rendered> {
  const { community, group } = audience;
  const members = peopleIn(card);
  const place = community ?? group;
  if (place === undefined || members.size === 0)
    return render(telegram, card, audience, { picture });
  const names = await telegram.people.namesOf(place, members);
  return render(telegram, card, audience, { names, picture, isQuiet: community === undefined });
}

export function render(
  telegram: TelegramContext,
  card: Card,
  { locale, owner, community, group }: Audience,
  { names, isQuiet = false, picture }: Extras = {},
): Rendered {
  for (const block of card.blocks) {
    if (block.kind === 'preformatted' && !isExact(block.text)) {
      telegram.log.error(
        { length: block.text.length },
        'bug: a preformatted text that Telegram would change',
      );
    }
  }
  const reader = {
    language: textsFor(card.language ?? locale).languageTag,
    now: Math.floor(telegram.clock() / 1000),
    ...(names !== undefined && { names, isQuiet, alike: lookAlikes(names) }),
  };
  const encode: EncodeButton = (call) => {
    const command = telegram.answerer.commandNamed(call.command);
    if (command === undefined) return undefined;
    try {
      const code = encodeCall(call, command, owner);
      const isCarried = community !== undefined && carriesCommunity(command);
      return isCarried ? encodeButtonData(code, community) : code;
    } catch (error) {
      telegram.log.error(
        { command: call.command, reason: messageOf(error) },
        'bug: could not encode a button',
      );
      return undefined;
    }
  };
  return renderCard(withLinks(telegram, card, community ?? group), reader, encode, picture);
}

/** What is for the presser alone is answered in their private chat, to which a link leads. */
function withLinks(telegram: TelegramContext, card: Card, community: string | undefined): Card {
  const actions = card.actions.map((row) =>
    row.map((action) => {
      if (!('call' in action) || action.forPresser !== true) return action;
      return { label: action.label, url: deepLink(telegram, action.call.command, community) };
    }),
  );
  return { ...card, actions };
}

/**
 * Sends a card, followed by its file, and by its picture if Telegram can't fetch that.
 * @param isPressed whether a message for the picture alone would be too much
 */
export async function sendCard(
  telegram: TelegramContext,
  place: ReplyTarget,
  card: Card,
  audience: Audience,
  isPressed = false,
): Promise<void> {
  const picture = await pictureOn(card);
  const rendered = await renderNamed(telegram, card, audience, picture);
  const { text, entities, keyboard, preview } = rendered;
  await telegram.api.sendMessage(place.chatId, text, {
    entities,
    link_preview_options: preview,
    ...at(place),
    ...(keyboard !== undefined && { reply_markup: keyboard }),
  });
  await sendFile(telegram, place, card);
  if (picture !== undefined && !isPressed) await sendPictureAfter(telegram, place, picture);
}

/** Sends our own text with at most one link button. */
export async function sendSentence(
  telegram: TelegramContext,
  place: ReplyTarget,
  sentence: string,
  link?: { readonly label: string; readonly url: string },
): Promise<void> {
  await telegram.api.sendMessage(place.chatId, defuseLinks(sentence), {
    link_preview_options: NO_PREVIEW,
    ...at(place),
    ...(link !== undefined && {
      reply_markup: { inline_keyboard: [[{ text: link.label, url: link.url }]] },
    }),
  });
}

/** Edits a message to show another card. */
export async function edit(
  telegram: TelegramContext,
  shown: EditableMessage,
  rendered: Rendered,
): Promise<void> {
  const { text, entities, keyboard, preview } = rendered;
  const rest = {
    entities,
    link_preview_options: preview,
    // Otherwise the previous card's buttons would stay.
    reply_markup: keyboard ?? { inline_keyboard: [] },
  };
  if ('inlineId' in shown) await telegram.api.editMessageTextInline(shown.inlineId, text, rest);
  else await telegram.api.editMessageText(shown.chatId, shown.messageId, text, rest);
}

const NAME = /^[a-z0-9.-]+$/;
const PICTURE_NAME = 'rank-card.png';

/**
 * Sends a card's file after the card. Never throws: the card has arrived, so the command succeeded.
 */
export async function sendFile(
  telegram: TelegramContext,
  place: ReplyTarget,
  card: Card,
): Promise<void> {
  const { file } = card;
  if (file === undefined || (card.private && !isPrivate(place))) return;
  if (!isSound(file)) {
    const { name, text } = file;
    telegram.log.error({ name: name.slice(0, 100), length: text.length }, 'bug: invalid file');
    return;
  }
  // Bytes, unlike a stream, can be sent again on retry.
  const bytes = new TextEncoder().encode(file.text);
  const more = { ...at(place), ...(file.about !== undefined && { caption: file.about }) };
  const send = () => telegram.api.sendDocument(place.chatId, new InputFile(bytes, file.name), more);
  await sendOrLeave(telegram.signal, send, (error) => noteMissing(telegram, 'file', error));
}

/**
 * Sends a card's picture after the card, unless it's shown in it already. Never throws, as above. It only
 * illustrates the card, so it doesn't wait as a file does.
 */
async function sendPictureAfter(
  telegram: TelegramContext,
  place: ReplyTarget,
  { url, png }: CardPicture,
): Promise<void> {
  if (url !== undefined) return;
  try {
    await telegram.api.sendPhoto(place.chatId, new InputFile(png, PICTURE_NAME), at(place));
  } catch (error) {
    noteMissing(telegram, 'picture', error);
  }
}

function noteMissing(telegram: TelegramContext, what: string, error: unknown): void {
  const reason = describeCall(error);
  if (isExpected(error)) telegram.log.debug({ reason }, `Telegram: could not deliver a ${what}`);
  else
    telegram.log.warn(
      { code: codeOfCall(error), reason },
      `Telegram: sent a card without its ${what}`,
    );
}

/** Telegram refuses an empty file. */
function isSound({ name, text }: CardFile): boolean {
  const named = NAME.test(name) && name.length <= FILE_NAME_MAX;
  return named && text !== '' && text.length <= FILE_MAX;
}
