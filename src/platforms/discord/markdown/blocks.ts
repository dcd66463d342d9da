import { layBars, steps } from '#core/bars';
import type { Block, Fact } from '#core/card';
import { isolateRightToLeft, sanitizeText } from '#core/sanitize-text';
import { layTable } from '#core/table';
import { cutEscaped, unticked } from './escape.ts';
import { exactTexts, FENCE, sizeOf } from './exact.ts';
import { renderLine } from './spans.ts';

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

/** Discord's small subtext. */
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
    // In a code block, where Markdown doesn't apply.
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
 * Joins blocks into at most `room` units. Text to be copied exactly gets its room first, whole or
 * not at all; the rest is truncated by lines.
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

/** Appends as many lines of the block as fit, including a truncation mark. */
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

/** A blank line, except around code blocks, which have their own margin. */
function between(text: string, fenced: boolean): string {
  if (text === '') return '';
  return fenced || text.endsWith(FENCE) ? '\n' : '\n\n';
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
