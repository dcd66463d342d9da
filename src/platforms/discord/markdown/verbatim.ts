import type { Block } from '#command';

/** Code block fences, on their own lines. */
export const FENCE = '```';

/**
 * What a code block shows and copies exactly: printable ASCII without backticks, and no edges that
 * Discord trims.
 */
const EXACT = /^[!-_a-~](?:[ -_a-~\n]*[!-_a-~])?$/;

export function isVerbatim(text: string): boolean {
  return EXACT.test(text);
}

/** Each block's exact text as a code block; empty for other blocks or without room. */
export function verbatimTexts(blocks: readonly Block[], room: number): string[] {
  const texts: string[] = [];
  for (const block of blocks) {
    const isWhole = block.kind === 'preformatted' && isVerbatim(block.text);
    const text = isWhole ? `${FENCE}\n${block.text}\n${FENCE}` : '';
    texts.push(sizeOf([...texts, text]) <= room ? text : '');
  }
  return texts;
}

/** Length of code blocks, each with a line break before it. */
export function sizeOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => (text === '' ? sum : sum + 1 + text.length), 0);
}
