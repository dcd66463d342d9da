import type { Block, Span } from '#core/card';

/** A line with the display name of a card's wallet; none without one. Titles have no strangers' words. */
export function nameBlocks(name: string | undefined): Block[] {
  return name === undefined ? [] : [{ kind: 'text', spans: [{ bold: name }] }];
}

/** The same before an address. */
export function nameSpans(name: string | undefined): Span[] {
  return name === undefined ? [] : [{ bold: name }, ' '];
}
