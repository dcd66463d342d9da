import type { Block } from '#core/card';

/** Opens and closes a code block, on lines of its own. */
export const FENCE = '```';

/**
 * What a code block shows and gives to be copied exactly: printable ASCII without the backtick, which
 * would end it, and nothing at its ends that Discord takes away.
 */
const EXACT = /^[!-_a-~](?:[ -_a-~\n]*[!-_a-~])?$/;

export function isExact(text: string): boolean {
  return EXACT.test(text);
}

/** Of each block what is to be copied exactly, as a code block; empty for others and where no room is. */
export function exactTexts(blocks: readonly Block[], room: number): string[] {
  const texts: string[] = [];
  for (const block of blocks) {
    const isWhole = block.kind === 'preformatted' && isExact(block.text);
    const text = isWhole ? `${FENCE}\n${block.text}\n${FENCE}` : '';
    texts.push(sizeOf([...texts, text]) <= room ? text : '');
  }
  return texts;
}

/** Of code blocks, with the line break before each. */
export function sizeOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => (text === '' ? sum : sum + 1 + text.length), 0);
}
