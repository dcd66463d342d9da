import type { InlineKeyboardMarkup, LinkPreviewOptions, MessageEntity } from 'grammy/types';
import { sanitizeText } from '#base';
import { type Block, type Card, type CardPicture, EMBLEMS } from '#command';
import { ENTITIES_MAX, TEXT_MAX } from '#platforms/telegram/limits';
import { joined, type Reader, renderBlock, renderSpans } from './blocks.ts';
import { defuseLinks } from './defuse-links.ts';
import { fitted, type TextPart } from './fit.ts';
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
