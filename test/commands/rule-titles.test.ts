import { expect, it } from 'vitest';
import type { RuleShare } from '#reputation';
import { answererWith, ask } from '../support/ask.ts';
import { FixedSource, type FixedWallet, fixedWallets, WHALE } from '../support/fixed-source.ts';

const RULE = {
  ...{ id: 'gov-vote', version: 1, title: 'Voted', points: 50, count: 1 },
  ...{ capped: 0, decayed: 0, discounted: 0, newest: '2026-01-01T00:00:00Z' },
};

async function whyWith(
  share: Partial<Pick<RuleShare, 'words' | 'title' | 'called' | 'counts' | 'count'>>,
  language = 'en',
) {
  const [, whale] = fixedWallets() as [FixedWallet, FixedWallet];
  const breakdown = {
    ...{ rules: [{ ...RULE, ...share }], imported: { points: 0, count: 0 } },
    asOf: '2026-01-02T00:00:00Z',
  };
  const source = new FixedSource([{ ...whale, score: 50, activities: [], breakdown }]);
  const card = await ask(answererWith({ source }), 'why', { wallet: WHALE.address }, language);
  const entries = card.blocks.flatMap((block) => (block.kind === 'entries' ? block.entries : []));
  return entries[0];
}

it('/why calls a rule what members call it, and says below what it gives', async () => {
  const title = '50 points for each VoteCast of 0x5aAe…; credited to “voter”';
  const entry = await whyWith({ title, called: 'Voted', words: '50 points each time' });
  expect(entry?.title).toEqual([{ bold: '+50' }, ' Voted']);
  expect(entry?.detail.at(-1)).toBe(' · 50 points each time');
});

it('/why calls a rule by its id where only the rule in words is known', async () => {
  const entry = await whyWith({ title: '50 points for each VoteCast' });
  expect(entry?.title).toEqual([{ bold: '+50' }, ' gov-vote']);
  expect(entry?.detail.at(-1)).toBe(' · 50 points for each VoteCast');
});

it.each(['@everyone', '**x** [y](https://example.org)', '<b>x</b>'])(
  '/why passes the title %j on as text, for platforms to escape',
  async (title) => {
    expect((await whyWith({ called: title, words: 'x' }))?.title).toEqual([
      { bold: '+50' },
      ` ${title}`,
    ]);
  },
);

it.each([
  ['events', 1, '1 event, newest ', '1 evento, '],
  ['events', 1_200, '1,200 events, newest ', '1.200 eventos, '],
  ['days', 1, '1 day, newest ', '1 día, '],
  ['days', 3, '3 days, newest ', '3 días, '],
  // Another instance doesn't tell.
  [undefined, 1, 'once, newest ', '1 registro, '],
  [undefined, 3, '3 times, newest ', '3 registros, '],
] as const)('/why counts %s as what they are: %d', async (counts, count, english, spanish) => {
  const share = { count, ...(counts && { counts }) };
  expect((await whyWith(share))?.detail[0]).toBe(english);
  expect((await whyWith(share, 'es'))?.detail[0]).toMatch(new RegExp(`^${spanish}`));
});
