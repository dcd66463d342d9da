import { layBars, steps } from '#core/bars';
import type { Block, Fact } from '#core/card';
import { isolateRightToLeft, sanitizeText } from '#core/sanitize-text';
import { layTable } from '#core/table';
import { cutEscaped, unticked } from './escape.ts';
import { exactTexts, FENCE, sizeOf } from './exact.ts';
import { renderLine } from './spans.ts';

type ExactBlock = Extract<Block, { kind: 'preformatted' }>;
/** Blocks that are cut line by line where there is no room for all. */
type LineBlock = Exclude<Block, ExactBlock>;

const PROGRESS_STEPS = 16;
const CUT = '…';
/** What a mark of a cut takes, on a line of its own. */
const MARK = CUT.length + 1;
/** With less room than this a block is left out rather than shown as a stump. */
const LEAST_ROOM = 16;

/** A line of a code block, which nothing in it ends or turns around. */
function codeLine(line: string): string {
  return isolateRightToLeft(unticked(line));
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
      const bar = `\`${steps(block.fraction, PROGRESS_STEPS)}\``;
      return [bar, renderLine(block.spans, room)];
    }
    // In a code block, where no Markdown applies.
    case 'bars':
      return layBars(block.bars).map(codeLine);
    case 'table':
      return layTable(block.columns, block.rows).map(codeLine);
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
  const shown = sanitizeText(text, room);
  return shown === '' ? CUT : cutEscaped(shown, room);
}
