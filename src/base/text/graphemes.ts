let segmenter: Intl.Segmenter | undefined;

/** What readers take for one character each, one after the other. */
export function* graphemesOf(text: string): Generator<string, void> {
  // Not before it's needed: to make one takes a good part of a start, and most texts do without.
  segmenter ??= new Intl.Segmenter('und', { granularity: 'grapheme' });
  for (const { segment } of segmenter.segment(text)) yield segment;
}
