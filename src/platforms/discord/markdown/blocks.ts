import type { Bar, Block, Column } from '#core/card';
import { literal } from '#core/literal';
import { layTable } from '#core/table';
import { cutEscaped, unticked } from './escape.ts';
import { renderLine } from './spans.ts';

/** Blocks that are lines of text; facts become fields of the embed. */
export type TextBlock = Exclude<Block, { kind: 'facts' }>;

const PROGRESS_CELLS = 16;
const BAR_CELLS = 10;
const FULL = '█';
const EMPTY = '░';
const CUT = '…';
const FENCE = '```';
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

function linesOf(block: TextBlock, room: number): string[] {
  switch (block.kind) {
    case 'text':
      return [renderLine(block.spans, room)];
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

/** Blocks as one text, at most `room` units long: what does not fit is cut line by line. */
export function renderBlocks(blocks: readonly TextBlock[], room: number): string {
  let text = '';
  for (const block of blocks) {
    const fenced = block.kind === 'table' || block.kind === 'bars';
    const open = between(text, fenced) + (fenced ? `${FENCE}\n` : '');
    const close = fenced ? `\n${FENCE}` : '';
    const left = room - text.length - open.length - close.length - CUT.length - 1;
    if (left < LEAST_ROOM) return withCut(text, room);
    const lines = linesOf(block, left).filter((line) => line !== '');
    const kept: string[] = [];
    let used = 0;
    for (const line of lines) {
      used += line.length + (kept.length === 0 ? 0 : 1);
      if (used > left) break;
      kept.push(line);
    }
    if (kept.length > 0) text += open + kept.join('\n') + close;
    if (kept.length < lines.length) return withCut(text, room);
  }
  return text;
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
  return text.length + CUT.length + 1 <= room ? `${text}\n${CUT}` : text;
}

/** One line where Discord shows no Markdown: labels of buttons and menus. Never empty. */
export function label(text: string, room: number): string {
  const shown = literal(text, room);
  return shown === '' ? CUT : cutEscaped(shown, room);
}
