import type { Card, Tone } from './card.ts';

/** A private card with a single message. */
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
