import type { InlineKeyboardMarkup, LinkPreviewOptions, MessageEntity } from 'grammy/types';
import { sanitizeText, wallSeconds } from '#base';
import { type Block, type Card, type CardPicture, EMBLEMS, encodeCall } from '#command';
import type { CardPreview } from '#platforms';
import { ENTITIES_MAX, TEXT_MAX } from '#platforms/telegram/limits';
import { joined, type Reader, renderBlock, renderSpans } from './blocks.ts';
import { defuseLinks } from './defuse-links.ts';
import { type EncodeButton, renderKeyboard } from './keyboard.ts';
import { RichText } from './rich-text.ts';

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
