import type { Block, Span } from '#command';

/** A line with the wallet's display name, if it has one. Titles never contain user text. */
export function nameBlocks(name: string | undefined): Block[] {
  return name === undefined ? [] : [{ kind: 'text', spans: [{ bold: name }] }];
}

/** The same before an address. */
export function nameSpans(name: string | undefined): Span[] {
  return name === undefined ? [] : [{ bold: name }, ' '];
}
