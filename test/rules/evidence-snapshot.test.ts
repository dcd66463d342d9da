import { expect, it, onTestFinished } from 'vitest';
import { chains } from '#chains/index';
import { createWalletParser } from '#core/wallet';
import { settledSnapshot } from '#rules/evidence-snapshot';
import { openQuietly } from '../support/filled-store.ts';
import { ETH_A, eventOf } from '../support/ledger.ts';
import { rulesText, ScoredStore, TODAY } from '../support/scoring.ts';

it('waits until all evidence is scored, and gives up if nobody scores it', async () => {
  const store = await openQuietly('sqlite::memory:');
  onTestFinished(async () => void (await store.close()));
  const scored = new ScoredStore(store, TODAY);
  await scored.apply(rulesText(['{id: a, on: {import: done}, give: {type: done, points: 1}}']));
  await scored.add(eventOf(ETH_A, 'w1', { event: 'done' }));
  const options = {
    ...{ store: store.scoring, wallets: createWalletParser(chains), lookMs: 0 },
    signal: new AbortController().signal,
  };
  let waits = 0;
  const onWait = () => {
    waits += 1;
  };
  await expect(settledSnapshot({ ...options, onWait })).rejects.toThrow(
    "haven't scored the evidence of 1 wallets yet. Start Fathom",
  );
  const follow = { following: Promise.resolve() };
  const { snapshot, asOf } = await settledSnapshot({
    ...{ ...options, lookMs: 1 },
    onWait() {
      follow.following = scored.follow();
    },
  });
  await follow.following;
  expect([waits, snapshot.pending, asOf]).toEqual([1, 0, TODAY]);
});
