import { expect, it } from 'vitest';
import { displayWidth } from '#base/text/sanitize-text';
import { type Card, TABLE_WIDTH } from '#command/cards/card';
import { renderTable } from '#command/cards/figures';
import { answererWith, ask } from '../support/ask.ts';
import { FixedSource, type FixedWallet, fixedWallets, WHALE } from '../support/fixed-source.ts';

const HOSTILE = [
  '@everyone',
  '<@80351110224678912>',
  '**bold** [link](https://example.org)',
  '<t:0:R> <b>html</b>',
  '\u202eright to left',
  'z\u0301\u0302\u0303\u0304\u0305\u0306algo',
  'zero\u200bwidth',
  '👩‍👩‍👧‍👦'.repeat(30),
  'two\nlines',
];

const RULE = {
  ...{ id: 'rule', version: 1, title: '', points: 5, count: 1 },
  ...{ capped: 0, decayed: 0, discounted: 0, newest: '2026-01-01T00:00:00Z' },
};

function sourceOf(text: string): FixedSource {
  const [, whale] = fixedWallets() as [FixedWallet, FixedWallet];
  const rename = <T extends object>(each: T) => ({ ...each, name: text, description: text });
  return new FixedSource([
    {
      ...whale,
      name: text,
      badges: whale.badges?.map(rename) ?? [],
      activities: whale.activities?.map(rename) ?? [],
      breakdown: {
        rules: [{ ...RULE, title: text.slice(0, 100) }],
        imported: { points: whale.score - RULE.points, count: 1 },
        asOf: null,
      },
    },
  ]);
}

it.each(HOSTILE)('A card passes %j through unchanged, in a string of its own', async (text) => {
  const answerer = answererWith({ source: sourceOf(text) });
  const wallet = WHALE.address;
  const cards = [
    await ask(answerer, 'rep', { wallet }),
    await ask(answerer, 'badges', { wallet }),
    await ask(answerer, 'activity', { wallet }),
    await ask(answerer, 'top', { wallet }),
    await ask(answerer, 'why', { wallet }),
  ];
  for (const card of cards) {
    expect(card.tone).not.toBe('error');
    expect(JSON.stringify(card.blocks)).toContain(JSON.stringify(text).slice(1, -1));
    expect(textsOutside(card)).not.toContain(text);
  }
});

it.each(HOSTILE)('The leaderboard keeps its rows aligned with %j', async (text) => {
  const card = await ask(answererWith({ source: sourceOf(text) }), 'top', {});
  for (const block of card.blocks) {
    if (block.kind !== 'table') continue;
    for (const line of renderTable(block.columns, block.rows)) {
      expect(displayWidth(line)).toBeLessThanOrEqual(TABLE_WIDTH);
      expect(line).not.toMatch(/[\n\u200b\u202e]/);
    }
  }
});

/** Titles, buttons and small print: only our own texts. */
function textsOutside(card: Card): string {
  const labels = card.actions.flat().map((action) => action.label);
  return [card.title, ...labels, JSON.stringify(card.footer)].join('\n');
}
