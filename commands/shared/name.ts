import type { Block } from '#core/card';

/** A line with the display name of a card's wallet; none without one. Titles have no strangers' words. */
export function nameBlocks(name: string | undefined): Block[] {
  return name === undefined ? [] : [{ kind: 'text', spans: [{ bold: name }] }];
}
