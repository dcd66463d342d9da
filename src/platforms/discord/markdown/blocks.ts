import type { Bar, Block, Column, Fact } from '#core/card';
import { literal } from '#core/literal';
import { layTable } from '#core/table';
import { cutEscaped, unticked } from './escape.ts';
import { exactTexts, FENCE, sizeOf } from './exact.ts';
import { renderLine } from './spans.ts';

type ExactBlock = Extract<Block, { kind: 'preformatted' }>;
/** Blocks that are cut line by line where there is no room for all. */
type LineBlock = Exclude<Block, ExactBlock>;

const PROGRESS_CELLS = 16;
const BAR_CELLS = 10;
const FULL = '█';
const EMPTY = '░';
const CUT = '…';
/** What a mark of a cut takes, on a line of its own. */
const MARK = CUT.length + 1;
/** With less room than this a block is left out rather than shown as a stump. */
const LEAST_ROOM = 16;

/** A bar of full and empty cells. Only nothing shows none full, and only everything shows none empty. */
function cells(fraction: number, count: number): string {
  const share = Number.isFinite(fraction) ? Math.min(1, Math.max(0, fraction)) : 0;
  const full = Math.round(share * count);
  const honest = share > 0 && share < 1 ? Math.min(count - 1, Math.max(1, full)) : full;
  return FULL.repeat(honest) + EMPTY.repeat(count - honest);
}

const BAR_COLUMNS: readonly Column[] = [
  { align: 'left', shrinks: true },
  { align: 'left' },
  { align: 'right' },
];

function barRow(bar: Bar): string[] {
  return [bar.label, cells(bar.fraction, BAR_CELLS), bar.note];
}

/** Rows for a code block, where no Markdown applies. */
function tableLines(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  return layTable(columns, rows).map(unticked);
}

/** Small grey print. */
export function subtext(line: string): string {
  return `-# ${line}`;
}

function factLine({ label, value }: Fact, room: number): string {
  return renderLine(label === '' ? value : [{ bold: label }, ' ', ...value], room);
}

function linesOf(block: LineBlock, room: number): string[] {
  switch (block.kind) {
    case 'text':
      return [renderLine(block.spans, room)];
    case 'facts':
      return block.facts.map((fact) => factLine(fact, room));
    case 'progress': {
      const bar = `\`${cells(block.fraction, PROGRESS_CELLS)}\``;
      return [bar, renderLine(block.spans, room)];
    }
    case 'bars':
      return tableLines(BAR_COLUMNS, block.bars.map(barRow));
    case 'table':
      return tableLines(block.columns, block.rows);
    case 'entries':
      return block.entries.flatMap(({ title, detail }) => {
        const small = renderLine(detail, room - 3);
        return [renderLine(title, room), small === '' ? '' : subtext(small)];
      });
  }
}

/**
 * Blocks as one text, at most `room` units long. What is to be copied exactly has its room first, and
 * comes whole or not at all; of the rest, what does not fit is cut line by line.
 */
export function renderBlocks(blocks: readonly Block[], room: number): string {
  const exact = exactTexts(blocks, room - MARK);
  let left = room - sizeOf(exact);
  let text = '';
  let isCut = false;
  for (const [i, block] of blocks.entries()) {
    const whole = exact[i] ?? '';
    if (whole !== '') {
      left += sizeOf([whole]);
      text = joinBlocks(text, whole);
    } else if (!isCut) {
      const next = block.kind === 'preformatted' ? undefined : addLines(text, block, left);
      isCut = next?.isCut ?? true;
      text = next?.text ?? text;
      if (isCut) text = withCut(text, left);
    }
  }
  return text;
}

/** The text with as many lines of the block as fit into the room, a mark of the cut counted. */
function addLines(
  text: string,
  block: LineBlock,
  room: number,
): { readonly text: string; readonly isCut: boolean } {
  const fenced = block.kind === 'table' || block.kind === 'bars';
  const open = between(text, fenced) + (fenced ? `${FENCE}\n` : '');
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

/** An empty line, but around a code block, which keeps its distance by itself. */
function between(text: string, fenced: boolean): string {
  if (text === '') return '';
  return fenced || text.endsWith(FENCE) ? '\n' : '\n\n';
}

/** Two texts of blocks as one. */
export function joinBlocks(text: string, next: string): string {
  return text + between(text, next.startsWith(FENCE)) + next;
}

function withCut(text: string, room: number): string {
  if (text === '') return cutEscaped(CUT, room);
  return text.length + MARK <= room ? `${text}\n${CUT}` : text;
}

/** One line where Discord shows no Markdown: labels of buttons and menus. Never empty. */
export function label(text: string, room: number): string {
  const shown = literal(text, room);
  return shown === '' ? CUT : cutEscaped(shown, room);
}
