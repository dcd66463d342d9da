import type { Block, Card } from '#command';

/** A private card about the caller. */
export function privateCard(
  title: string,
  blocks: readonly Block[],
  actions: Card['actions'],
): Card {
  return { tone: 'plain', title, blocks, actions, menu: undefined, footer: [], private: true };
}
