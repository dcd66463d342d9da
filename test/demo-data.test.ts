import { describe, expect, it } from 'vitest';
import { demoBatch, fillWithDemo } from '#app/demo/demo-data';
import { rulesReader } from '#scoring/rules-file/read-file';
import { chains } from '#wallet/chains/index';
import { createWalletParser } from '#wallet/wallet';
import { DEMO_WALLET } from './support/demo-wallet.ts';
import { openMemoryStore } from './support/empty-store.ts';

const DAY = 86_400;
/** Late by 0, 42 and 59 days of the windows that caps are counted in; long past, as no later event counts. */
const DAYS = ['2020-02-01', '2020-01-14', '2020-01-31'];

/** Seconds since 1970. */
function at(day: string): number {
  return Date.parse(day) / 1000;
}

describe('the demo data', () => {
  it('gives the leaderboard of the README on each day', async () => {
    const boards = await Promise.all(
      DAYS.map(async (day) => {
        const store = openMemoryStore();
        await fillWithDemo(store, at(day));
        const source = await store.openSource(rulesReader(createWalletParser(chains)));
        const { leaderboard } = await source
          .reading()
          .leaderboard({ chain: 'all', limit: 500, offset: 0 });
        await store.close();
        return leaderboard;
      }),
    );
    const shown = boards[0]?.find(({ address }) => address === DEMO_WALLET);
    expect(shown).toMatchObject({ score: 7190, rank: 116, tier: 'Whale' });
    for (const board of boards) expect(board).toEqual(boards[0]);
  });

  it.each(DAYS)('goes on until the day before %s, and no further', (day) => {
    const { activities, events } = demoBatch(at(day) + DAY - 1);
    const times = [...activities, ...events].map(({ timestamp }) => timestamp);
    expect(Math.max(...times)).toBeLessThan(at(day));
    // What boards of 7, 30 and 90 days show.
    expect(times.filter((time) => time >= at(day) - 6 * DAY).length).toBeGreaterThan(50);
  });
});
