import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '#command/texts/index';
import { answererWith, ask, fixedKeys } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { FixedSource, NEWCOMER, TITAN, UNSEEN, WHALE } from '../support/fixed-source.ts';

const whale = { wallet: WHALE.address };

/** Each case is a card in every language, stored as text in its own file. */
const CASES: readonly (readonly [string, string, Record<string, string>])[] = [
  ['rep', 'rep', whale],
  ['rep-highest', 'rep', { wallet: TITAN.address, chain: 'sol' }],
  ['rep-newcomer', 'rep', { wallet: NEWCOMER.address }],
  ['rep-unseen', 'rep', { wallet: UNSEEN.address }],
  ['rep-without-wallet', 'rep', {}],
  ['rep-other-chain', 'rep', { ...whale, chain: 'sol' }],
  ['rep-no-address', 'rep', { wallet: 'veera.eth' }],
  ['rep-by-name', 'rep', { wallet: 'VERA.eth' }],
  ['badges', 'badges', whale],
  ['badges-last-page', 'badges', { ...whale, page: '2' }],
  ['badges-none', 'badges', { wallet: TITAN.address }],
  ['badges-without-wallet', 'badges', {}],
  ['activity', 'activity', whale],
  ['activity-last-page', 'activity', { ...whale, page: '25' }],
  ['activity-single', 'activity', { wallet: NEWCOMER.address }],
  ['activity-unseen', 'activity', { wallet: UNSEEN.address }],
  ['why', 'why', whale],
  ['why-imported', 'why', { wallet: TITAN.address }],
  ['why-nothing', 'why', { wallet: NEWCOMER.address }],
  ['why-unseen', 'why', { wallet: UNSEEN.address }],
  ['why-without-wallet', 'why', {}],
  ['help-why', 'help', { command: 'why' }],
  ['top', 'top', {}],
  ['top-middle-page', 'top', { page: '3' }],
  ['top-chain', 'top', { chain: 'algo' }],
  ['top-place', 'top', { wallet: NEWCOMER.address }],
  ['top-page-zero', 'top', { page: '0' }],
  ['stats', 'stats', {}],
  ['help', 'help', {}],
  ['help-rep', 'help', { command: '/rep' }],
];

describe.each(LANGUAGES)('cards in %s', (language) => {
  it.each(CASES)('%s', async (name, command, args) => {
    const card = await ask(answererWith(), command, args, language);
    await expect(cardText(card)).toMatchFileSnapshot(`golden/${name}.${language}.txt`);
  });

  it('of an empty source', async () => {
    const answerer = answererWith({ source: emptySource() });
    const cards = [
      await ask(answerer, 'top', {}, language),
      await ask(answerer, 'stats', {}, language),
    ];
    await expect(cards.map(cardText).join('\n')).toMatchFileSnapshot(
      `golden/empty.${language}.txt`,
    );
  });

  it('of an empty source whose chains are still being read', async () => {
    const source = Object.assign(emptySource(), { isPartial: true });
    const answerer = answererWith({ source });
    const cards = [
      await ask(answerer, 'top', {}, language),
      await ask(answerer, 'stats', {}, language),
      await ask(answerer, 'rep', whale, language),
    ];
    await expect(cards.map(cardText).join('\n')).toMatchFileSnapshot(
      `golden/empty-partial.${language}.txt`,
    );
  });

  it('of keys, from the first one to its end', async () => {
    const keys = fixedKeys();
    const answerer = answererWith({ keysOf: () => keys });
    const steps: Record<string, string>[] = [
      {},
      { action: 'create', key: 'my site' },
      { action: 'create' },
      { action: 'list' },
      { action: 'revoke' },
      { action: 'revoke', key: '0000000000' },
      { action: 'list' },
      { action: 'revoke', key: 'nonsense' },
    ];
    const cards: string[] = [];
    for (const args of steps) cards.push(cardText(await ask(answerer, 'apikey', args, language)));
    await expect(cards.join('\n')).toMatchFileSnapshot(`golden/apikey.${language}.txt`);
  });
});

function emptySource(): FixedSource {
  const source = new FixedSource([]);
  source.asOf = undefined;
  return source;
}
