import type { Card, Tone } from '#core/card';

/** A card that says one thing, to the caller alone. */
export function noteCard(tone: Tone, title: string, sentence: string): Card {
  return {
    tone,
    title,
    blocks: [{ kind: 'text', spans: [sentence] }],
    actions: [],
    menu: undefined,
    footer: [],
    private: true,
  };
}
