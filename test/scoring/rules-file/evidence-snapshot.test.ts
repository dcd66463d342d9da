import { expect, it, onTestFinished } from 'vitest';
import { settledSnapshot } from '#scoring/rules-file/evidence-snapshot';
import { chains } from '#wallet/chains/index';
import { createWalletParser } from '#wallet/wallet';
import { openQuietly } from '../../support/filled-store.ts';
import { ETH_A, eventOf } from '../../support/ledger.ts';
import { rulesText, ScoredStore, TODAY, workshop } from '../../support/scoring.ts';

it('A snapshot of evidence waits until all evidence is scored, and gives up if nobody scores it', async () => {
  const store = await openQuietly('sqlite::memory:');
  onTestFinished(async () => void (await store.close()));
  const scored = new ScoredStore(store, TODAY);
  await scored.apply(rulesText(['{id: a, on: {import: done}, give: {type: done, points: 1}}']));
  await scored.add(eventOf(ETH_A, 'w1', { event: 'done' }));
  const options = {
    ...{ store: store.scoring, wallets: createWalletParser(chains), pollMs: 0 },
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
    ...{ ...options, pollMs: 1 },
    onWait() {
      follow.following = scored.follow();
    },
  });
  await follow.following;
  expect([waits, snapshot.pending, asOf]).toEqual([1, 0, TODAY]);
});

it('A snapshot of evidence reads rules once, before it opens a transaction, and those that are live in it', async () => {
  const store = await openQuietly('sqlite::memory:');
  onTestFinished(async () => void (await store.close()));
  const scored = new ScoredStore(store, TODAY);
  const lists = { './known.csv': `${ETH_A.address}\n` };
  const listed = (version: number) =>
    rulesText([workshop], {
      version,
      more: 'discounts: [{id: known, list: ./known.csv, factor: 0}]\n',
    });
  await scored.apply(listed(1), lists);
  const { scoring } = store;
  const parser = createWalletParser(chains);
  const [opened, read] = [{ now: false }, [] as number[]];
  const { snapshot, candidate } = await settledSnapshot({
    ...{ pollMs: 0, signal: new AbortController().signal, onWait: () => undefined },
    wallets: {
      ...parser,
      parse(...args) {
        expect(opened.now).toBe(false);
        return parser.parse(...args);
      },
    },
    store: {
      ...scoring,
      rules(number) {
        read.push(number);
        return scoring.rules(number);
      },
      async openSnapshot() {
        // Other rules go live just before.
        if (read.length === 1) await scored.apply(listed(2), lists);
        const snapshot = await scoring.openSnapshot();
        opened.now = true;
        const close = async () => {
          await snapshot.close();
          opened.now = false;
        };
        return { ...snapshot, close };
      },
    },
  });
  expect([snapshot.live?.version, candidate.kept.version]).toEqual([2, 2]);
  // Several looks were needed: the day's last step wasn't made.
  expect(read).toEqual([1, 2]);
  await snapshot.close();
});
