import { expect, it, onTestFinished } from 'vitest';
import { Evaluator, PageSize } from '#scoring/score-versions/evaluator';
import type { ScoringStore } from '#scoring/score-versions/store';
import type { Wallet } from '#wallet/wallet';
import { openQuietly } from '../support/filled-store.ts';
import { addressOf } from '../support/import-lines.ts';
import { eventOf } from '../support/ledger.ts';
import { rulesText, ScoredStore, TODAY } from '../support/scoring.ts';

const RULES = rulesText(['{id: a, on: {import: done}, give: {type: done, points: 1}}']);

it('The evaluator writes few rows at a time, however long the histories of wallets are', async () => {
  const store = await openQuietly('sqlite::memory:');
  onTestFinished(async () => void (await store.close()));
  const scored = new ScoredStore(store, TODAY);
  const wallets = [...Array(6).keys()].map(
    (i): Wallet => ({ chain: 'ethereum', address: addressOf('ethereum', i) }),
  );
  const lengths = [1, 30, 4, 4, 4, 4];
  await scored.add(
    ...wallets.flatMap((wallet, i) =>
      Array.from({ length: lengths[i] ?? 0 }, (_, n) =>
        eventOf(wallet, `e${n}`, { event: 'done' }),
      ),
    ),
  );
  const written: number[] = [];
  const watched: ScoringStore = new Proxy(store.scoring, {
    get(scoring, name) {
      const member: unknown = Reflect.get(scoring, name, scoring);
      if (name !== 'write') return member;
      const write: ScoringStore['write'] = (scoreVersion, scores, move) => {
        written.push(scores.reduce((sum, { rows }) => sum + rows.length, 0));
        return scoring.write(scoreVersion, scores, move);
      };
      return write;
    },
  });
  const evaluator = new Evaluator({
    ...{
      store: watched,
      today: () => TODAY,
      yieldToEventLoop: async () => undefined,
      rowsAtOnce: 8,
    },
    signal: new AbortController().signal,
  });
  const [evaluation, kept] = scored.rulesOf(RULES);
  const built = await evaluator.build(evaluation, kept);
  expect(written.filter((rows) => rows > 0)).toEqual([8, 9, 30]);
  expect(await store.scoring.switchTo(built.number, undefined, kept.badges)).toBe(true);
  const reading = (await store.openSource()).reading();
  for (const [i, wallet] of wallets.entries()) {
    expect((await reading.reputation(wallet))?.score).toBe(lengths[i]);
  }
});

it('The evaluator reads fewer wallets at a time the longer their histories are', () => {
  const page = new PageSize(500);
  const sizes = [10, 10, 10, 10, 10, 600, 10_000].map((events) => {
    const { wallets } = page;
    page.saw(wallets * events);
    return wallets;
  });
  expect([...sizes, page.wallets]).toEqual([32, 64, 128, 256, 500, 500, 83, 5]);
  page.saw(5 * 1_000_000);
  expect(page.wallets).toBe(1);
  page.saw(0);
  expect(page.wallets).toBe(2);
  expect(new PageSize(1).wallets).toBe(1);
});
