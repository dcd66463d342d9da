import { describe, expect, it } from 'vitest';
import { wordsFor } from '#http/pages/words/index';
import type { Growth } from '#reputation/api-records';
import { openPublicPages, pageText, withMethod } from '../../../support/public-pages.ts';

const { pages: words } = wordsFor(['en']);

describe('the growth of wallets', () => {
  const DAY = 86_400;
  let growth: Growth | undefined;
  const joined = (ethereum: number, solana = 0) => ({ ethereum, solana, algorand: 0 });
  const show = async (language = 'en') => {
    const pages = await openPublicPages({}, (source) => withMethod(source, 'growth', () => growth));
    const answer = await pages.get(`/stats?lang=${language}`);
    const html = await answer.text();
    await pages.close();
    const rows = [...html.slice(html.indexOf('growth-title')).matchAll(/<tr>(.*?)<\/tr>/g)];
    return { answer, text: pageText(html), rows: rows.map(([, row = '']) => pageRow(row)) };
  };
  const pageRow = (row: string) =>
    row
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim();
  const day = (text: string) => Date.parse(text) / 1000 / DAY;

  it('has a row for each day, week, month or year, whichever are few', async () => {
    const daily = (count: number, step: number) =>
      Array.from({ length: count }, (_, i) => ({
        day: day('2023-01-02') + i * step,
        joined: joined(1),
      }));
    const rowsOf = async (days: Growth['days']) => {
      growth = { days, isBehind: false };
      return (await show()).rows;
    };
    const days = await rowsOf(daily(60, 1));
    expect(days).toHaveLength(61);
    expect(days.slice(0, 3)).toEqual([
      `${words.stats.growth.by} Ethereum ${words.stats.growth.all}`,
      '2 Mar 2023 60 60',
      '1 Mar 2023 59 59',
    ]);
    // 61 days are nine weeks, of which the last isn't over.
    expect((await rowsOf(daily(61, 1))).slice(1, 3)).toEqual([
      '3 Mar 2023 61 61',
      '26 Feb 2023 56 56',
    ]);
    expect((await rowsOf(daily(500, 1))).at(-1)).toBe('Jan 2023 30 30');
    expect((await rowsOf(daily(1_000, 10))).at(-1)).toBe('2023 37 37');
  });

  it('shows chains with wallets alone, added up', async () => {
    growth = {
      days: [
        { day: day('2023-01-02'), joined: joined(1_000) },
        { day: day('2023-03-01'), joined: joined(1, 20_000) },
      ],
      isBehind: false,
    };
    const { rows, answer, text } = await show('es');
    const { growth: spanish } = wordsFor(['es']).pages.stats;
    expect(rows).toEqual([
      `${spanish.by} Ethereum Solana ${spanish.all}`,
      '1 mar 2023 1.001 20.000 21.001',
      '2 ene 2023 1.000 0 1.000',
    ]);
    expect(text).toContain('20.000');
    expect(answer.headers.get('etag')).not.toBeNull();
    growth = { days: [{ day: day('2023-01-02'), joined: joined(2_000_000) }], isBehind: false };
    expect((await show('es')).text).toMatch(/500 mil 1 M/);
    expect((await show('en')).text).toMatch(/500K 1M/);
  });

  it('says so while wallets are counted, and keeps no such page', async () => {
    growth = undefined;
    const begun = await show();
    expect(begun.text).toContain(words.unavailable);
    expect(begun.answer.headers.get('cache-control')).toBe('no-store');
    growth = { days: [{ day: 19_000, joined: joined(7) }], isBehind: true };
    const behind = await show();
    expect(behind.text).toContain(words.stats.growth.behind);
    expect(behind.answer.headers.get('cache-control')).toBe('no-store');
  });
});
