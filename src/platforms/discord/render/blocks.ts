import { isolateRightToLeft, sanitizeText } from '#base';
import { type Block, type CardEntry, type Fact, renderBars, renderTable, steps } from '#command';
import { cutEscaped, renderLine, unticked } from './spans.ts';

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

function linesOf(block: LineBlock, room: number): string[] {
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
    case 'entries':
      return block.entries.flatMap((entry) => renderEntry(entry, room));
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
  const lines = linesOf(block, left).filter((line) => line !== '');
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
