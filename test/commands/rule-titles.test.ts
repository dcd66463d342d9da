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
  return (await entriesOf([{ ...RULE, ...share }], language))[0];
}

async function entriesOf(rules: RuleShare[], language = 'en') {
  const [, whale] = fixedWallets() as [FixedWallet, FixedWallet];
  const breakdown = { rules, imported: { points: 0, count: 0 }, asOf: '2026-01-02T00:00:00Z' };
  const source = new FixedSource([{ ...whale, score: 50, activities: [], breakdown }]);
  const card = await ask(answererWith({ source }), 'why', { wallet: WHALE.address }, language);
  return card.blocks.flatMap((block) => (block.kind === 'entries' ? block.entries : []));
}

/** Of a line of a card, its words. */
function spoken(spans: readonly unknown[] = []): string {
  return spans
    .map((each) => (typeof each === 'string' ? each : String((each as { bold?: string }).bold)))
    .join('');
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

it.each([
  // A line about a single other rule would take as much room as the rule.
  [7, 7, '+50 rule 6'],
  [8, 7, '+100 from 2 other rules'],
] as const)('/why shows %d rules in %d entries', async (count, shown, last) => {
  const rules = Array.from({ length: count }, (_, i) => ({ ...RULE, called: `rule ${i}` }));
  const entries = await entriesOf(rules);
  expect(entries.length).toBe(shown);
  expect(spoken(entries.at(-1)?.title)).toBe(last);
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
