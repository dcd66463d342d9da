import type { Block } from '#core/card';
import type { Texts } from '#core/texts/index';

/** What to do where nothing was ever imported: whoever has just started Fathom reads it first. */
export function emptyBlocks(texts: Texts): Block[] {
  return [
    { kind: 'text', spans: [texts.empty.about] },
    { kind: 'text', spans: [`${texts.empty.next} `, { code: 'npm run fathom -- import FILE' }] },
    { kind: 'text', spans: [texts.empty.soon] },
  ];
}
