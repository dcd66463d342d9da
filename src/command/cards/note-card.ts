import type { Texts } from '#command/texts/index';
import type { Block, Card, Tone } from './card.ts';

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

/**
 * Warns whoever typed a seed phrase or a private key, without repeating it.
 * @param mayBePublic it may as well be the hash of a transaction
 */
export function secretCard({ link }: Texts, mayBePublic: boolean): Card {
  const blocks: Block[] = [
    { kind: 'text', spans: [mayBePublic ? link.keyOrHash : link.secret] },
    { kind: 'text', spans: [{ bold: link.secretNever }] },
  ];
  const title = mayBePublic ? link.keyOrHashTitle : link.secretTitle;
  return {
    ...{ tone: 'warning', title, blocks, actions: [] },
    ...{ menu: undefined, footer: [], private: true },
  };
}
