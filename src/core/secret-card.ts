import type { Block, Card } from '#core/card';
import type { Texts } from '#core/texts/index';

/** Warns whoever typed a seed phrase or a private key, without repeating it. */
export function secretCard({ link: { secretTitle, secret, secretNever } }: Texts): Card {
  const blocks: Block[] = [
    { kind: 'text', spans: [secret] },
    { kind: 'text', spans: [{ bold: secretNever }] },
  ];
  return {
    ...{ tone: 'warning', title: secretTitle, blocks, actions: [] },
    ...{ menu: undefined, footer: [], private: true },
  };
}
