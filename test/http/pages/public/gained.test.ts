import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { wallSeconds } from '#base/time/clock';
import { textsFor } from '#command/texts/index';
import { wordsFor } from '#http/pages/words/index';
import type { Reading } from '#reputation/reputation-source';
import { activityOf, ETH_A, ETH_B, SOL_A } from '../../../support/ledger.ts';
import { patienceMs } from '../../../support/patience.ts';
import { openPublicPages, pageText, type TestPages } from '../../../support/public-pages.ts';

const { top: words } = textsFor('en');
const LONG = 'W'.repeat(64);
/** Days before now, whatever the hour is. */
const ago = (days: number) => wallSeconds() - days * 86_400;

describe('the leaderboard by period', () => {
  let pages: TestPages;
  beforeAll(async () => {
    pages = await openPublicPages();
    await pages.add({
      names: [{ wallet: ETH_A, displayName: LONG }],
      activities: [
        activityOf(ETH_A, 'a', { points: 300, timestamp: ago(2) }),
        activityOf(SOL_A, 'a', { points: 40, timestamp: ago(2) }),
        activityOf(ETH_B, 'a', { points: 9_000, timestamp: ago(20) }),
        activityOf(ETH_A, 'b', { points: 5_000, timestamp: ago(200) }),
      ],
    });
  });
  afterAll(() => pages.close());

  const counted = (path: string) =>
    vi.waitFor(
      async () => {
        const html = await pages.html(path);
        if (pageText(html).includes(words.counting)) throw new Error('still counting');
        return html;
      },
      { timeout: patienceMs() },
    );

  it('ranks by what was gained', async () => {
    const html = await counted('/leaderboard?period=7d');
    const text = pageText(html);
    expect(text).toContain('Leaderboard · 7 days');
    expect(text).toContain(words.gainedAbout('7'));
    expect(text).toMatch(/\+300[\s\S]*\+40/);
    expect(text).not.toContain('9,000');
    expect(text).toContain('2 wallets');
    expect(html).toContain('href="/leaderboard?period=30d"');
    expect(html).toContain('href="/leaderboard?chain=sol&amp;period=7d"');
    expect(pageText(await counted('/leaderboard?period=30d&chain=eth'))).toMatch(
      /\+9,000[\s\S]*\+300/,
    );
    expect(pageText(await pages.html('/leaderboard'))).not.toContain('+300');
  });

  it('has no others, and names those that there are', async () => {
    for (const query of ['period=1d', 'period=30', 'period=x', 'chain=btc', 'chain=btc&page=x']) {
      const answer = await pages.get(`/leaderboard?${query}`);
      expect(answer.status).toBe(400);
      const text = pageText(await answer.text());
      expect(text).toContain(wordsFor(['en']).pages.lost.board.about);
      expect(text).not.toContain(wordsFor(['en']).pages.lost.page.about);
    }
    const page = await pages.get('/leaderboard?page=0');
    expect(page.status).toBe(400);
    expect(pageText(await page.text())).toContain(wordsFor(['en']).pages.lost.page.about);
  });

  it('says when nobody gained anything', async () => {
    const html = await counted('/leaderboard?period=30d&chain=algo');
    expect(pageText(html)).toContain(words.gainedNone);
  });
});

/** As an upstream has them. */
function without(reading: Reading): Reading {
  return new Proxy(reading, {
    get: (target, name) => {
      if (name === 'gainers' || name === 'gains') return undefined;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

it('A source that can’t tell what was gained has no periods, and says so', async () => {
  const pages = await openPublicPages({}, (source) => ({
    ...source,
    reading: (urgency) => without(source.reading(urgency)),
  }));
  const html = await pages.html('/leaderboard?period=30d');
  expect(pageText(html)).toContain(words.gainedUnknown);
  expect(await pages.html('/leaderboard')).not.toContain('period=');
  await pages.close();
});
