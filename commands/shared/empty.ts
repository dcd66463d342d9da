import type { Block } from '#core/card';
import type { Texts } from '#core/texts/index';

/** Shown before the first import: the first thing a new operator reads. */
export function emptyBlocks(texts: Texts): Block[] {
  return [
    { kind: 'text', spans: [texts.empty.about] },
    { kind: 'text', spans: [`${texts.empty.next} `, { code: 'npm run fathom -- import FILE' }] },
    { kind: 'text', spans: [texts.empty.soon] },
  ];
}
