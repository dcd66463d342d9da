import { isolateRightToLeft, safeWebUrl, sanitizeText } from '#base';
import {
  type Block,
  type CardEntry,
  type Fact,
  renderBars,
  renderTable,
  type Span,
  steps,
} from '#command';
import { isSnowflake } from '#platforms/discord/limits';

/** Graphemes per span; the room truncates the rest. */
const LONGEST = 1_000;
/** The latest time Discord's timestamps show: 20 April 271821, JavaScript's limit. */
const LAST_SECOND = 8_640_000_000_000;

const TIME_STYLES = { relative: 'R', date: 'D', clock: 'f' } as const;

/** Sanitized and escaped, but keeps a space at either end, as it separates spans. */
function shown(text: string): { before: string; core: string; after: string } {
  const core = sanitizeText(text, LONGEST);
  if (core === '') return { before: text === '' ? '' : ' ', core, after: '' };
  return {
    before: /^\s/.test(text) ? ' ' : '',
    core,
    after: /\s$/.test(text) ? ' ' : '',
  };
}

/** Escaped within the room; a right-to-left name doesn't reorder the figures around it. */
function escapedWithin(text: string, room: number): string {
  const escaped = escapeText(text);
  const isolated = isolateRightToLeft(escaped);
  if (isolated.length <= room) return isolated;
  // Truncated before, so that no isolate stays open.
  return isolateRightToLeft(cutEscaped(escaped, room - (isolated.length - escaped.length)));
}

/** As it is, since people copy it. */
function codeWithin(text: string, room: number): string {
  return cutEscaped(unticked(text), room);
}

/** Wraps a text in Markdown; empty if there's no room for both. */
function wrapped(
  text: string,
  mark: string,
  room: number,
  within: (text: string, room: number) => string,
): string {
  const { before, core, after } = shown(text);
  const inside = within(core, room - 2 * mark.length - 2);
  return inside === '' ? '' : before + mark + inside + mark + after;
}

function renderSpan(span: Span, room: number): string {
  if (typeof span === 'string') {
    const { before, core, after } = shown(span);
    const inside = escapedWithin(core, room - before.length - after.length);
    return cutEscaped(before + inside + after, room);
  }
  if ('bold' in span) return wrapped(span.bold, '**', room, escapedWithin);
  if ('italic' in span) return wrapped(span.italic, '*', room, escapedWithin);
  if ('code' in span) return wrapped(span.code, '`', room, codeWithin);
  if ('link' in span) return maskedLink(span.link, span.url, room);
  if ('member' in span) return mention('@', span.member, room);
  if ('channel' in span) return mention('#', span.channel, room);
  const text = timestamp(span.time, TIME_STYLES[span.style]);
  return text.length <= room ? text : '';
}

/** A masked link; the text alone if there's no room for its address. */
function maskedLink(text: string, address: string, room: number): string {
  // Within a masked link's address only parentheses mean anything.
  const url = safeWebUrl(address)?.replaceAll('(', '%28').replaceAll(')', '%29');
  const link = `[${isolateRightToLeft(escapeText(shown(text).core))}](${url})`;
  return url === undefined || link.length > room ? renderSpan(text, room) : link;
}

/** A mention, which clients show as a name; ids that aren't Discord's are shown as text. */
function mention(mark: '@' | '#', id: string, room: number): string {
  if (!isSnowflake(id)) return renderSpan(id, room);
  const text = `<${mark}${id}>`;
  return text.length <= room ? text : '';
}

/** In the reader's time zone and language. */
function timestamp(seconds: number, style: string): string {
  const whole = Math.trunc(seconds);
  if (!(Math.abs(whole) <= LAST_SECOND)) return '—';
  return `<t:${whole}:${style}>`;
}

/** A line of Discord's Markdown, at most `room` units long; it ends where something doesn't fit whole. */
export function renderLine(spans: readonly Span[], room: number): string {
  let line = '';
  let marked = false;
  for (const span of spans) {
    const piece = renderSpan(span, room - line.length - 1);
    // Adjacent marks would read as one longer mark.
    line += marked && /^[*`]/.test(piece) ? ` ${piece}` : piece;
    if (!isWhole(span, piece)) {
      const isOpen = piece === '' && line.trim() !== '' && line.length < room;
      return (isOpen ? `${line.trimEnd()}${CUT}` : line).trim();
    }
    marked = typeof span === 'object' && !('time' in span) && /[*`]$/.test(piece);
  }
  return line.trim();
}

/** A mention or a time that's left out of the middle of a line would leave the words around it without sense. */
function isWhole(span: Span, piece: string): boolean {
  if (piece === renderSpan(span, Number.POSITIVE_INFINITY)) return true;
  const isLink = typeof span === 'object' && 'link' in span;
  return isLink && piece === renderSpan(span.link, Number.POSITIVE_INFINITY);
}

/**
 * Escapes text for Discord's Markdown. A backslash before any character except letters, digits and
 * spaces is hidden and removes the character's meaning. We only escape what could have a meaning,
 * as notifications show the raw text. https://support.discord.com/hc/en-us/articles/210298617
 */

/** Emphasis, code, spoilers, links, mentions, time stamps, emoji, and the backslash itself. */
const SPECIAL = /[\\*_~`|<>[\]@]/g;
/**
 * Opens a heading, list or subtext at the start of a line. A text may come to stand there, or behind
 * another that ends in the first half of such a mark, so its start is always escaped.
 */
const OPENING = /^(\s*)(\d*)(\.(?=\s|$)|(?<!\d)(?:\.|#(?=[#\s]|$)|-(?=[#\s]|$)))/;
/** `https:` before its slashes; they may also come from the text that follows. */
const SCHEME = /:(?=\/|$)/g;
/** The dots of what is taken for a link without a scheme: `www.`, `discord.gg`, `host.tld/path`. */
const HOST = /(?<=www|discord|discordapp)\.|\.(?=[a-z0-9-]{2,63}(?:\/|:\d))/gi;

/** The text so that Discord shows it as it is. It must be `literal` already: one line, no controls. */
export function escapeText(text: string): string {
  return text
    .replace(SPECIAL, '\\$&')
    .replace(SCHEME, '\\:')
    .replace(HOST, '\\.')
    .replace(OPENING, '$1$2\\$3');
}

/** Inside code nothing means anything but the backtick, and that can't be escaped: a like one stands in. */
function unticked(text: string): string {
  return text.replaceAll('`', 'ˋ');
}

/**
 * Truncates an escaped text to `room` units, with an ellipsis. Never splits an escape, surrogate
 * pair or joined emoji.
 */
export function cutEscaped(text: string, room: number): string {
  if (text.length <= room) return text;
  if (room < 1) return '';
  const kept = text.slice(0, room - 1).replace(/[\ud800-\udbff\u200d]+$/, '');
  const slashes = /\\*$/.exec(kept)?.[0].length ?? 0;
  return `${slashes % 2 === 1 ? kept.slice(0, -1) : kept}…`;
}

type ExactBlock = Extract<Block, { kind: 'preformatted' }>;
/** Blocks truncated by lines if there's no room for all. */
type LineBlock = Exclude<Block, ExactBlock>;

const PROGRESS_STEPS = 16;
const CUT = '…';
/** Length of a truncation mark on its own line. */
const MARK = CUT.length + 1;
/** With less room than this, a block is left out rather than truncated to a stump. */
const LEAST_ROOM = 16;

/** A line of a code block; nothing in it can end the block or reverse its direction. */
function codeLine(line: string): string {
  return isolateRightToLeft(unticked(line));
}

const SMALL = '-# ';

/** Discord's small subtext. */
export function subtext(line: string): string {
  return SMALL + line;
}

/** Only the label is bold, as label and value stand on one line. */
function factLine({ label, value }: Fact, room: number): string {
  const plain = value.map((span) =>
    typeof span === 'object' && 'bold' in span ? span.bold : span,
  );
  return renderLine(label === '' ? value : [{ bold: label }, ' ', ...plain], room);
}

/** Each is kept whole, or the block ends before it. */
function piecesOf(block: LineBlock, room: number): string[] {
  if (block.kind !== 'entries') return linesOf(block, room);
  return block.entries.map((entry) => renderEntry(entry, Number.POSITIVE_INFINITY).join('\n'));
}

function linesOf(block: Exclude<LineBlock, { kind: 'entries' }>, room: number): string[] {
  switch (block.kind) {
    case 'text':
      return [renderLine(block.spans, room)];
    case 'heading':
      return [renderLine([{ bold: block.text }], room)];
    case 'facts':
      return block.facts.map((fact) => factLine(fact, room));
    case 'progress': {
      const bar = `\`${steps(block.fraction, PROGRESS_STEPS)}\``;
      return [bar, renderLine(block.spans, room)];
    }
    // In a code block, where Markdown doesn't apply.
    case 'bars':
      return renderBars(block.bars).map(codeLine);
    case 'table':
      return renderTable(block.columns, block.rows).map(codeLine);
  }
}

/** An entry's lines, at most `room` units long in all; an empty one is left out. */
export function renderEntry({ title, detail }: CardEntry, room: number): string[] {
  const line = renderLine(title, room);
  const small = renderLine(detail, room - line.length - SMALL.length - 1);
  return [line, small === '' ? '' : subtext(small)].filter((each) => each !== '');
}

/**
 * Joins blocks into at most `room` units. Text to be copied exactly gets its room first, whole or
 * not at all; the rest is truncated by lines.
 */
export function renderBlocks(blocks: readonly Block[], room: number): string {
  const exact = verbatimTexts(blocks, room - MARK);
  let left = room - sizeOf(exact);
  let text = '';
  let isCut = false;
  let isHeaded = false;
  for (const [i, block] of blocks.entries()) {
    const whole = exact[i] ?? '';
    if (whole !== '') {
      left += sizeOf([whole]);
      text = joinBlocks(text, whole);
    } else if (!isCut) {
      const next =
        block.kind === 'preformatted' ? undefined : addLines(text, block, left, isHeaded);
      isCut = next?.isCut ?? true;
      text = next?.text ?? text;
      if (isCut) text = withCut(text, left);
    }
    isHeaded = block.kind === 'heading';
  }
  return text;
}

/**
 * Appends as many lines of the block as fit, including a truncation mark.
 * @param isHeaded whether the text ends in the block's heading
 */
function addLines(
  text: string,
  block: LineBlock,
  room: number,
  isHeaded: boolean,
): { readonly text: string; readonly isCut: boolean } {
  const fenced = block.kind === 'table' || block.kind === 'bars';
  const open = between(text, fenced || isHeaded) + (fenced ? `${FENCE}\n` : '');
  const close = fenced ? `\n${FENCE}` : '';
  const left = room - text.length - open.length - close.length - MARK;
  if (left < LEAST_ROOM) return { text, isCut: true };
  const lines = piecesOf(block, left).filter((line) => line !== '');
  const kept: string[] = [];
  let used = 0;
  for (const line of lines) {
    used += line.length + (kept.length === 0 ? 0 : 1);
    if (used > left) break;
    kept.push(line);
  }
  const added = kept.length === 0 ? text : text + open + kept.join('\n') + close;
  return { text: added, isCut: kept.length < lines.length };
}

/** A blank line, except below headings and around code blocks, which have their own margin. */
function between(text: string, isTight: boolean): string {
  if (text === '') return '';
  return isTight || text.endsWith(FENCE) ? '\n' : '\n\n';
}

/** Joins two texts of blocks. */
export function joinBlocks(text: string, next: string): string {
  return text + between(text, next.startsWith(FENCE)) + next;
}

function withCut(text: string, room: number): string {
  if (text === '') return cutEscaped(CUT, room);
  return text.length + MARK <= room ? `${text}\n${CUT}` : text;
}

/** A line without Markdown, for labels of buttons and menus. Never empty. */
export function label(text: string, room: number): string {
  const shown = sanitizeText(text, room);
  return shown === '' ? CUT : cutEscaped(shown, room);
}

/** Code block fences, on their own lines. */
const FENCE = '```';

/**
 * What a code block shows and copies exactly: printable ASCII without backticks, and no edges that
 * Discord trims.
 */
const EXACT = /^[!-_a-~](?:[ -_a-~\n]*[!-_a-~])?$/;

export function isVerbatim(text: string): boolean {
  return EXACT.test(text);
}

/** Each block's exact text as a code block; empty for other blocks or without room. */
function verbatimTexts(blocks: readonly Block[], room: number): string[] {
  const texts: string[] = [];
  for (const block of blocks) {
    const isWhole = block.kind === 'preformatted' && isVerbatim(block.text);
    const text = isWhole ? `${FENCE}\n${block.text}\n${FENCE}` : '';
    texts.push(sizeOf([...texts, text]) <= room ? text : '');
  }
  return texts;
}

/** Length of code blocks, each with a line break before it. */
function sizeOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => (text === '' ? sum : sum + 1 + text.length), 0);
}
