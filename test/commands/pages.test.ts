import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rankText, shareOf, topPercent } from '#command/cards/figures';
import { textsFor } from '#command/texts/index';
import { placeIn } from '#commands/answering/leaderboard-place';
import { pageButtons } from '#commands/shared/card-parts';
import { pageOf } from '#reputation/reputation-source';
import { CHAINS, type Chain } from '#wallet/wallet';
import { answererWith, ask } from '../support/ask.ts';
import { cardText, spansText } from '../support/card-text.ts';
import { FixedSource, type FixedWallet, WHALE } from '../support/fixed-source.ts';
import { addressOf } from '../support/import-lines.ts';

describe('a page', () => {
  it.each([
    [undefined, 25, { page: 1, pages: 3, offset: 0 }],
    [3, 25, { page: 3, pages: 3, offset: 20 }],
    [4, 25, { page: 3, pages: 3, offset: 20 }],
    [9999, 30, { page: 3, pages: 3, offset: 20 }],
    [1, 0, { page: 1, pages: 1, offset: 0 }],
    [7, 0, { page: 1, pages: 1, offset: 0 }],
    [2, 10, { page: 1, pages: 1, offset: 0 }],
    [2, 11, { page: 2, pages: 2, offset: 10 }],
  ])('%s of %i items', (asked, total, page) => {
    expect(pageOf(asked, total, 10)).toEqual(page);
  });

  it('links only to other pages, each with its own button', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.nat(600), (asked, total) => {
        const page = pageOf(asked, total, 10);
        const buttons = pageButtons(page, { command: 'top', args: {} }, String);
        const targets = buttons.map((each) => ('call' in each ? Number(each.call.args.page) : 0));
        expect(new Set(targets).size).toBe(targets.length);
        expect(targets).not.toContain(page.page);
        expect(targets).toEqual(targets.toSorted((a, b) => a - b));
        for (const target of targets) {
          expect(target).toBeGreaterThanOrEqual(1);
          expect(target).toBeLessThanOrEqual(page.pages);
        }
        // Every existing end and neighbour can be reached.
        const { page: own, pages } = page;
        const wanted = [1, own - 1, own + 1, pages].filter((p) => p !== own && p > 0 && p <= pages);
        expect(targets).toEqual([...new Set(wanted)].toSorted((a, b) => a - b));
      }),
    );
  });

  it.each([
    ['top', {}, 'Page 6 of 6'],
    ['badges', { wallet: WHALE.address }, 'Page 2 of 2'],
    ['activity', { wallet: WHALE.address }, 'Page 25 of 25'],
  ])('shows the last page of /%s beyond the end', async (command, args, page) => {
    const card = await ask(answererWith(), command, { ...args, page: '9999' });
    expect(card.tone).toBe('plain');
    expect(spansText(card.footer)).toContain(page);
    const last = page.split(' ').at(-1) ?? '';
    const asked = await ask(answererWith(), command, { ...args, page: last });
    expect(cardText(card)).toBe(cardText(asked));
  });
});

describe('the percentage of a rank', () => {
  it.each([
    [127, 1000, 13],
    [1, 1, 100],
    [7, 100, 7],
    [8, 100, 8],
    [29, 100, 29],
    [1, 100, 1],
    [10, 1000, 1],
    [9, 1000, 0.9],
    [11, 1000, 2],
    [1, 1000, 0.1],
    [1, 1_000_000, 0.1],
    [1001, 1_000_000, 0.2],
    [9999, 1_000_000, 1],
    [1_000_000, 1_000_000, 100],
    [60, 60, 100],
  ])('%i of %i is the top %d', (rank, total, percent) => {
    expect(topPercent(rank, total)).toBe(percent);
  });

  it('is never understated, never out of bounds, and never falls with the rank', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2e6 }), fc.nat(2e6), (rank, more) => {
        const total = rank + more;
        const percent = topPercent(rank, total);
        expect(percent * total).toBeGreaterThanOrEqual(rank * 100 - 1e-6 * total);
        expect(percent).toBeGreaterThanOrEqual(0.1);
        expect(percent).toBeLessThanOrEqual(100);
        expect(topPercent(rank + 1, total + 1)).toBeGreaterThanOrEqual(topPercent(rank, total + 1));
      }),
    );
  });
});

describe('a rank in words', () => {
  const en = textsFor('en');
  it.each([
    [1, 60, en.rep.rankOf('1', '60')],
    [3, 60, `${en.rep.rankOf('3', '60')} · ${en.rep.top('5%')}`],
    [9, 51_246, `${en.rep.rankOf('9', '51,246')} · ${en.rep.top('0.1%')}`],
    [30, 60, `${en.rep.rankOf('30', '60')} · ${en.rep.top('50%')}`],
    [31, 60, en.rep.rankOf('31', '60')],
    [51_244, 51_246, en.rep.rankOf('51,244', '51,246')],
  ])('%i of %i has a percentage in the better half only', (rank, total, text) => {
    expect(rankText(rank, total, en)).toBe(text);
  });

  it('has a space before the sign in Spanish', () => {
    expect(rankText(3, 60, textsFor('es'))).toContain(textsFor('es').rep.top('5\u00a0%'));
  });
});

describe('a share', () => {
  const en = textsFor('en');
  it.each([
    [0, 0, '0%'],
    [0, 60, '0%'],
    [1, 3, '33.3%'],
    [3, 50, '6.0%'],
    [1, 100_000, '<0.1%'],
    [99_999, 100_000, '>99.9%'],
    [5, 5, '100%'],
  ])('%i of %i', (count, total, share) => {
    expect(shareOf(count, total, en)).toBe(share);
  });

  it('is written as Spanish does', () => {
    const es = textsFor('es');
    expect(shareOf(3, 50, es)).toBe('6,0\u00a0%');
    expect(shareOf(1, 100_000, es)).toBe('<0,1\u00a0%');
  });
});

describe('the position of a wallet', () => {
  it('is found among any number of equal scores, on all chains and its own', async () => {
    const wallets = Array.from({ length: 1_000 }, (_, i): FixedWallet => {
      const chain = CHAINS[i % 3] as Chain;
      return { chain, address: addressOf(chain, i), score: i < 900 ? 5 : i };
    });
    for (const at of [0, 1, 2, 450, 899, 900, 901, 999]) {
      const wallet = wallets[at] as FixedWallet;
      for (const chain of ['all', wallet.chain] as const) {
        const source = new FixedSource(wallets);
        const record = source.reputation(wallet);
        if (record === undefined) throw new Error('there is no such wallet');
        const place = await placeIn(source, chain, record);
        const asked = source.asked;
        expect(place?.entry.address).toBe(wallet.address);
        const { leaderboard } = source.leaderboard({
          chain,
          limit: 1,
          offset: place?.offset ?? -1,
        });
        expect(leaderboard[0]?.address).toBe(wallet.address);
        expect(asked).toBeLessThanOrEqual(5);
      }
    }
  });

  it('is omitted if the wallet is gone by then', async () => {
    const source = new FixedSource([{ ...WHALE, score: 5 }]);
    const record = source.reputation(WHALE);
    if (record === undefined) throw new Error('there is no such wallet');
    const later = new FixedSource([{ ...WHALE, address: addressOf('ethereum', 5), score: 5 }]);
    expect(await placeIn(later, 'all', record)).toBeUndefined();
    expect(await placeIn(new FixedSource([]), 'all', record)).toBeUndefined();
  });
});

describe('medals', () => {
  /** The medals on a page of wallets with these scores. */
  async function medalsOf(scores: readonly number[], page = '1') {
    const wallets = scores.map((score, i): FixedWallet => {
      return { chain: 'ethereum', address: addressOf('ethereum', i), score };
    });
    const source = new FixedSource(wallets);
    const text = cardText(await ask(answererWith({ source }), 'top', { page }));
    return text.match(/🥇|🥈|🥉/gu)?.join('') ?? '';
  }
  const below = Array.from({ length: 20 }, (_, i) => 20 - i);

  it.each([
    ['the first three', [90, 80, 70, ...below], '🥇🥈🥉'],
    ['those who share a place', [90, 80, 70, 70, ...below], '🥇🥈🥉🥉'],
    ['two at the top', [90, 90, 70, ...below], '🥇🥇🥉'],
    ['none of too many for the third place', [90, 80, ...Array(7).fill(70), ...below], '🥇🥈'],
    ['nobody where all are alike', Array(30).fill(5), ''],
    ['the only one', [5], '🥇'],
  ])('are for %s', async (_, scores, medals) => {
    expect(await medalsOf(scores)).toBe(medals);
    expect(await medalsOf(scores, '2')).toBe(scores.length > 10 ? '' : medals);
  });
});
