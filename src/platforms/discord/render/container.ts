import {
  type APIComponentInContainer,
  type APIContainerComponent,
  type APISectionComponent,
  type APITextDisplayComponent,
  ComponentType,
  SeparatorSpacingSize,
} from 'discord-api-types/v10';
import { safeWebUrl } from '#base';
import {
  type Block,
  type Card,
  type CardEntry,
  type CardPicture,
  colourOf,
  EMBLEMS,
} from '#command';
import { LAYOUT } from '#platforms/discord/limits';
import { joinBlocks, renderBlocks, renderEntry, renderLine, subtext } from './blocks.ts';
import { type ComponentContext, type ComponentRow, renderComponents } from './components.ts';
import { PICTURE_NAME } from './file.ts';

/** What a card's message shows besides its text. */
export interface CardAttachments {
  readonly picture?: CardPicture | undefined;
  /** The name of an uploaded file other than the picture. */
  readonly fileName?: string | undefined;
}

const TITLE_MAX = 256;
const SMALL_PRINT = 300;
/** With less room than this, a part is left out rather than truncated to a few letters. */
const LEAST_ROOM = 32;
/** The title of a card without one. */
const NO_TITLE = '—';
/** The longest separator between two texts. */
const BETWEEN = 2;
/** The path of a badge picture, which only the playground can load: a chat needs a full URL. */
const OWN_PATH = /^\/badge-picture\/[\w.%-]+(?:\/[\w-]+\.png)?$/;
/** The components for a picture next to text: the section, its text and the thumbnail. */
const SECTION_SIZE = 3;

const DIVIDER: APIComponentInContainer = {
  type: ComponentType.Separator,
  divider: true,
  spacing: SeparatorSpacingSize.Small,
};

/** Part of a card's text, or an entry with a picture. */
type Piece = { readonly text: string } | { readonly text: string; readonly thumbnail: string };

/**
 * A card as one container of Components V2, within all of Discord's limits. Text that's too long is
 * truncated; if there are too many components, separators and pictures next to text are dropped first.
 */
export function renderContainer(
  card: Card,
  context: ComponentContext,
  { picture, fileName }: CardAttachments = {},
): APIContainerComponent {
  const rows = renderComponents(card, context);
  const gallery = galleryOf(picture);
  const file: APIComponentInContainer[] =
    fileName === undefined
      ? []
      : [{ type: ComponentType.File, file: { url: `attachment://${fileName}` } }];
  const after = [...gallery, ...file, ...rows];
  const room = LAYOUT.components - 1 - after.reduce((sum, each) => sum + sizeOf(each), 0);
  const small = renderLine(card.footer, SMALL_PRINT);
  const smallPrint = small === '' ? '' : subtext(small);
  // A file that Discord refuses must leave no sentence about itself.
  const fileNote = fileName === undefined ? undefined : card.file?.about;
  const blocks: readonly Block[] =
    fileNote === undefined ? card.blocks : [...card.blocks, { kind: 'text', spans: [fileNote] }];
  const text = laidOut(partsOf({ ...card, blocks }, smallPrint), room);
  return {
    type: ComponentType.Container,
    accent_color: colourOf(card),
    components: [...text, ...after],
  };
}

function galleryOf(picture: CardPicture | undefined): APIComponentInContainer[] {
  if (picture === undefined) return [];
  const url = picture.url ?? `attachment://${PICTURE_NAME}`;
  const description = picture.alt.slice(0, LAYOUT.mediaDescription);
  const item = { media: { url }, ...(description !== '' && { description }) };
  return [{ type: ComponentType.MediaGallery, items: [item] }];
}

/** How many components a component consists of. */
function sizeOf(component: APIComponentInContainer | ComponentRow): number {
  return component.type === ComponentType.ActionRow ? 1 + component.components.length : 1;
}

/** A card's text in parts; each but the first starts with a heading. */
function partsOf(card: Card, smallPrint: string): Piece[][] {
  const heading = renderLine([card.title], TITLE_MAX).trim() || NO_TITLE;
  const title = `### ${EMBLEMS[card.tone]} ${heading}`;
  let left = LAYOUT.text - title.length - smallPrint.length - 2 * BETWEEN;
  const parts: Piece[][] = [];
  let isFirst = true;
  for (const blocks of groupsOf(card.blocks)) {
    const pieces = piecesOf(blocks, left, isFirst ? title : '');
    left -= sizeOfPieces(isFirst ? pieces.slice(1) : pieces);
    parts.push(pieces);
    isFirst = false;
    if (left < LEAST_ROOM) break;
  }
  if (parts.length === 0) parts.push([{ text: title }]);
  if (smallPrint !== '') parts.at(-1)?.push({ text: smallPrint });
  return parts;
}

/** Including separators. */
function sizeOfPieces(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { text }) => sum + text.length + BETWEEN, 0);
}

/**
 * A card's blocks by part. With a text to be copied exactly, all of it is one part: that text takes its room
 * before all others.
 */
function groupsOf(blocks: readonly Block[]): Block[][] {
  if (blocks.some(({ kind }) => kind === 'preformatted')) return [[...blocks]];
  const groups: Block[][] = [];
  for (const block of blocks) {
    const last = groups.at(-1);
    if (last === undefined || block.kind === 'heading') groups.push([block]);
    else last.push(block);
  }
  return groups;
}

/** @param room without the title */
function piecesOf(blocks: readonly Block[], room: number, title: string): Piece[] {
  const pieces: Piece[] = [];
  let left = room;
  const add = (piece: Piece) => {
    pieces.push(piece);
    left -= piece.text.length + BETWEEN;
  };
  if (title !== '') pieces.push({ text: title });
  let plain: Block[] = [];
  const flush = () => {
    const isOpen = plain.length > 0 && left >= LEAST_ROOM;
    const text = isOpen ? renderBlocks(plain, left) : '';
    plain = [];
    if (text !== '') add({ text });
  };
  const hasExact = blocks.some(({ kind }) => kind === 'preformatted');
  for (const block of blocks) {
    const entries = block.kind === 'entries' && !hasExact ? block.entries : [];
    if (!entries.some(({ picture }) => picture !== undefined)) {
      plain.push(block);
      continue;
    }
    flush();
    for (const entry of entries) {
      const text = left < LEAST_ROOM ? '' : renderEntry(entry, left).join('\n');
      if (text !== '') add(pictured(text, entry));
    }
  }
  flush();
  return pieces;
}

function pictured(text: string, { picture }: CardEntry): Piece {
  const url = picture !== undefined && OWN_PATH.test(picture) ? picture : safeWebUrl(picture ?? '');
  return url !== undefined && url.length <= LAYOUT.mediaUrl ? { text, thumbnail: url } : { text };
}

/** The parts as at most `room` components: with everything, or with less. */
function laidOut(parts: readonly (readonly Piece[])[], room: number): APIComponentInContainer[] {
  const sections = parts.flat().filter((piece) => 'thumbnail' in piece).length;
  const texts = parts.length + sections;
  const hasSections = sections * SECTION_SIZE + texts <= room;
  const drawn = parts.map((pieces) => drawPart(pieces, hasSections));
  const counts = drawn.map((part) => part.reduce((sum, each) => sum + sizeInPart(each), 0));
  const count = counts.reduce((sum, each) => sum + each, 0);
  if (count + parts.length - 1 <= room) {
    return drawn.flatMap((part, i) => (i === 0 ? part : [DIVIDER, ...part]));
  }
  if (count <= room) return drawn.flat();
  return [textDisplay(parts.flat().reduce((all, { text }) => joined(all, text), ''))];
}

function sizeInPart({ type }: APIComponentInContainer): number {
  return type === ComponentType.Section ? SECTION_SIZE : 1;
}

/** One text for everything without a picture. */
function drawPart(pieces: readonly Piece[], hasSections: boolean): APIComponentInContainer[] {
  const components: APIComponentInContainer[] = [];
  let text = '';
  const flush = () => {
    if (text !== '') components.push(textDisplay(text));
    text = '';
  };
  for (const piece of pieces) {
    if (hasSections && 'thumbnail' in piece) {
      flush();
      components.push(section(piece.text, piece.thumbnail));
    } else text = joined(text, piece.text);
  }
  flush();
  return components;
}

/** A heading's line has its own margin. */
function joined(text: string, next: string): string {
  return text.startsWith('### ') && !text.includes('\n')
    ? `${text}\n${next}`
    : joinBlocks(text, next);
}

function section(text: string, url: string): APISectionComponent {
  return {
    type: ComponentType.Section,
    components: [textDisplay(text)],
    accessory: { type: ComponentType.Thumbnail, media: { url } },
  };
}

function textDisplay(content: string): APITextDisplayComponent {
  return { type: ComponentType.TextDisplay, content };
}
