import type { Block } from '#command';
import type { CommandContext } from '#commands/answering/command';

/** Shown before the first import, or the first score from a chain: the first thing a new operator reads. */
export function emptyBlocks({
  source,
  texts: { empty },
}: Pick<CommandContext, 'source' | 'texts'>): Block[] {
  if (source.isPartial === true) {
    return [
      { kind: 'text', spans: [empty.reading] },
      { kind: 'text', spans: [empty.meanwhile] },
    ];
  }
  return [
    { kind: 'text', spans: [empty.about] },
    { kind: 'text', spans: [`${empty.next} `, { code: 'npm run fathom -- import FILE' }] },
    { kind: 'text', spans: [empty.soon] },
  ];
}
