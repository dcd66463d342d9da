import { describe, expect, it } from 'vitest';
import { demoBatch } from '#app/demo/demo-data';
import { dataFinding } from '#cli/doctor/database';
import { LANGUAGES, textsFor } from '#command/texts/index';
import { answererWith, ask } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { FixedSource, fixedWallets } from '../support/fixed-source.ts';
import { addressOf } from '../support/import-lines.ts';

describe('a rank among few users', () => {
  const wallets = Array.from({ length: 14 }, (_, i) => ({
    chain: 'ethereum' as const,
    address: addressOf('ethereum', i),
    score: 1_000 - i,
  }));
  const rep = async (i: number, locale: string) => {
    const answerer = answererWith({ source: new FixedSource(wallets) });
    return cardText(await ask(answerer, 'rep', { wallet: wallets[i]?.address ?? '' }, locale));
  };

  it('has no percentage if it is the first, which would be "top 8%" of 14', async () => {
    expect(await rep(0, 'en')).toMatch(/Rank: 1 of 14$/m);
    expect(await rep(0, 'es')).toMatch(/: 1 de 14$/m);
    expect(await rep(1, 'en')).toMatch(/Rank: 2 of 14 · top 15%$/m);
  });
});

describe('a number of wallets', () => {
  it('uses the singular for one', () => {
    expect(dataFinding(1, 1, 1_700_000_000).text).toMatch(/^1 wallet, 1 imported activity,/);
    expect(dataFinding(2, 0, 1_700_000_000).text).toMatch(/^2 wallets, last change/);
  });

  it('without any says what may be missing: data, or the rules by which imported events count', () => {
    const { text } = dataFinding(0, 0, undefined);
    for (const way of ['fathom import', 'RULES', 'fathom sources']) expect(text).toContain(way);
  });
});

describe('an activity type', () => {
  const used = new Set(demoBatch(0).activities.map(({ type }) => type));
  // From the data that badges are based on, the demo's rules, and those in the docs.
  for (const type of ['badge_copy_held', 'governance_vote', 'liquidity_provided']) used.add(type);
  for (const type of ['event_attended', 'adjustment']) used.add(type);

  it.each(LANGUAGES)('has its own label in %s, if the demo data or the docs use it', (language) => {
    const known = Object.keys(textsFor(language).activityTypes);
    expect([...used].filter((type) => !known.includes(type))).toEqual([]);
  });

  it("is shown in the reader's language", async () => {
    const [first] = fixedWallets();
    const wallet = {
      chain: 'ethereum' as const,
      address: first?.address ?? '',
      score: 10,
      activities: ['governance_vote', 'made_up_type'].map((type) => ({
        id: type,
        type,
        description: 'Something',
        points: 5,
        timestamp: '2026-06-30T12:00:00Z',
      })),
    };
    const answerer = answererWith({ source: new FixedSource([wallet]) });
    const text = cardText(await ask(answerer, 'activity', { wallet: wallet.address }, 'es'));
    expect(text).toContain(textsFor('es').activityTypes.governance_vote);
    // A type without texts.
    expect(text).toContain('made up type');
  });
});
