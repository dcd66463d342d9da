import type {
  InlineKeyboardButton,
  InlineKeyboardMarkup,
  LinkPreviewOptions,
  MessageEntity,
} from 'grammy/types';
import { displayWidth, sanitizeText, wallSeconds } from '#base';
import {
  type Action,
  type Block,
  type Call,
  type Card,
  type CardPicture,
  EMBLEMS,
  encodeCall,
} from '#command';
import type { CardPreview } from '#platforms';
import {
  BUTTON_LABEL_MAX,
  BUTTONS_MAX,
  ENTITIES_MAX,
  ROW_MAX,
  TEXT_MAX,
} from '#platforms/telegram/limits';
import { joined, type Reader, renderBlock, renderSpans } from './blocks.ts';
import { defuseLinks, RichText } from './rich-text.ts';

/** A card as a Telegram message, within every limit whatever the card contains. */
export interface Rendered {
  readonly text: string;
  readonly entities: MessageEntity[];
  /** Undefined if the card has no buttons. */
  readonly keyboard: InlineKeyboardMarkup | undefined;
  readonly preview: LinkPreviewOptions;
}

/** A preview would show a page that a stranger chose, and push the answer off the screen. */
export const NO_PREVIEW: LinkPreviewOptions = { is_disabled: true };

const TITLE_MAX = 120;
/** UTF-16 code units of the footer, which is kept when the rest is truncated. */
const FOOTER_MAX = 600;
const BETWEEN = '\n\n';

/** @param picture shown above the text if it has an address */
export function renderCard(
  card: Card,
  reader: Reader,
  encode: EncodeButton,
  picture?: CardPicture,
): Rendered {
  const title = new RichText().add(defuseLinks(sanitizeText(card.title, TITLE_MAX)), {
    type: 'bold',
  });
  const heading = new RichText().add(`${EMBLEMS[card.tone]} `).append(title);
  const blocks = partsOf(card.blocks, reader);
  const small = renderSpans(card.footer, reader).cut(FOOTER_MAX);
  const footer = new RichText().appendStyled(small, { type: 'italic' });
  const room = TEXT_MAX - footer.text.length - BETWEEN.length;
  const body = fitted([{ content: heading, exact: false }, ...blocks], BETWEEN, room);
  const whole = joined([body, footer], BETWEEN).trimEnd();
  return {
    text: whole.text,
    entities: whole.entities(ENTITIES_MAX),
    keyboard: renderKeyboard(card, encode),
    preview: previewOf(picture),
  };
}

/** A heading and the block that it belongs to are one part. */
function partsOf(blocks: readonly Block[], reader: Reader): TextPart[] {
  return blocks.flatMap((block, i): TextPart[] => {
    const content = renderBlock(block, reader);
    const exact = block.kind === 'preformatted';
    const before = blocks[i - 1];
    const next = blocks[i + 1];
    if (block.kind === 'heading' && next !== undefined && next.kind !== 'preformatted') return [];
    if (before?.kind !== 'heading' || exact) return [{ content, exact }];
    return [{ content: joined([renderBlock(before, reader), content]), exact }];
  });
}

/** Unlike a photo's caption, a text with a preview has room for every card, and can be edited. */
function previewOf(picture: CardPicture | undefined): LinkPreviewOptions {
  if (picture?.url === undefined) return NO_PREVIEW;
  return { url: picture.url, prefer_large_media: true, show_above_text: true };
}

interface TextPart {
  readonly content: RichText;
  /** Never truncated: shown whole or not at all. */
  readonly exact: boolean;
}

const ELLIPSIS = '…';
/** Room that exact parts leave for the others. */
const LEAST_ROOM = 100;
/** Kept free after an exact part, so truncating the next one never reaches back into it. */
const SLACK = 4;

/**
 * Joins the parts that aren't empty into at most `room` UTF-16 code units. Exact parts get their room
 * first. The first other part that doesn't fit is truncated; only exact parts follow it.
 */
function fitted(parts: readonly TextPart[], between: string, room: number): RichText {
  const shown = parts.filter(({ content }) => content.text.trim() !== '');
  const sizeOf = ({ content }: TextPart) => between.length + content.text.length + SLACK;
  const kept = new Set<TextPart>();
  let left = room;
  for (const part of shown) {
    if (!part.exact || left - sizeOf(part) < LEAST_ROOM) continue;
    kept.add(part);
    left -= sizeOf(part);
  }
  const whole = new RichText();
  let isCut = false;
  for (const part of shown) {
    if (kept.has(part)) {
      left += sizeOf(part);
      addTo(whole, between, part.content);
    } else if (!isCut) {
      if (part.exact) addTo(whole, '\n', new RichText().add(ELLIPSIS));
      else addTo(whole, between, part.content);
      isCut = part.exact || whole.text.length > left;
      whole.cut(left);
    }
  }
  return whole;
}

function addTo(whole: RichText, between: string, content: RichText): void {
  if (whole.text !== '') whole.add(between);
  whole.append(content);
}

export const preview: CardPreview = {
  codeOf: (data) => data,
  render(card, { caller, language, commands, picture }) {
    const reader = { language, now: wallSeconds() };
    const encode: EncodeButton = (call) => {
      const command = commands.find((each) => each.name === call.command);
      return command === undefined ? undefined : encodeCall(call, command, caller);
    };
    const { text, entities, keyboard, preview } = renderCard(card, reader, encode, picture);
    return {
      ...{ text, entities, link_preview_options: preview },
      ...(keyboard && { reply_markup: keyboard }),
    };
  },
};

/** Encodes a call as button data; undefined if it's too long. */
export type EncodeButton = (call: Call) => string | undefined;

/**
 * Widest label, in columns, that a phone shows whole on each of so many buttons in a row; of a longer one it
 * shows the start.
 */
const WIDEST = [Number.POSITIVE_INFINITY, 18, 11, 8, 6, 4, 3, 2];

/**
 * A card's buttons, followed by its menu as rows of buttons, as Telegram has no menus. Disabled buttons
 * are omitted: Telegram has none, and a button that does nothing looks broken.
 * @returns undefined if there are no buttons
 */
function renderKeyboard(card: Card, encode: EncodeButton): InlineKeyboardMarkup | undefined {
  const rows = [...card.actions, ...menuRows(card)].map((row) =>
    row.flatMap((action) => renderButton(action, encode) ?? []),
  );
  let left = BUTTONS_MAX;
  const fitting = rows.flatMap(asRows).map((row) => {
    const kept = row.slice(0, Math.max(0, left));
    left -= kept.length;
    return kept;
  });
  const keyboard = fitting.filter((row) => row.length > 0);
  return keyboard.length === 0 ? undefined : { inline_keyboard: keyboard };
}

function menuRows(card: Card): Action[][] {
  const rows: Action[][] = [];
  for (const { label, call } of card.menu?.choices ?? []) {
    const last = rows.at(-1);
    const isPair = last?.length === 1 && fitBeside([...last.map((each) => each.label), label]);
    if (isPair) last.push({ label, call });
    else rows.push([{ label, call }]);
  }
  return rows;
}

function renderButton(action: Action, encode: EncodeButton): InlineKeyboardButton | undefined {
  const text = sanitizeText(action.label, BUTTON_LABEL_MAX);
  if (text === '') return undefined;
  if ('url' in action) {
    const url = publicAddress(action.url);
    return url === undefined ? undefined : { text, url };
  }
  // Telegram has no forms; users type the value instead.
  if ('form' in action || action.disabled === true) return undefined;
  const data = encode(action.call);
  return data === undefined ? undefined : { text, callback_data: data };
}

/** Telegram rejects the whole message if a button links to e.g. `http://localhost:8080`. */
function publicAddress(address: string): string | undefined {
  const url = URL.parse(address);
  const reachable = url !== null && /^https?:$/.test(url.protocol) && url.hostname.includes('.');
  return reachable ? url.href : undefined;
}

/** In as many rows as their labels need. */
function asRows(buttons: readonly InlineKeyboardButton[]): InlineKeyboardButton[][] {
  const rows: InlineKeyboardButton[][] = [];
  for (const button of buttons) {
    const last = rows.at(-1);
    if (last !== undefined && fitBeside([...last, button].map(({ text }) => text))) {
      last.push(button);
    } else rows.push([button]);
  }
  return rows;
}

function fitBeside(labels: readonly string[]): boolean {
  const widest = WIDEST[labels.length - 1];
  return (
    labels.length <= ROW_MAX &&
    widest !== undefined &&
    labels.every((label) => displayWidth(label) <= widest)
  );
}
