import { beforeEach, describe, expect, it } from 'vitest';
import type { WalletLinking } from '#app/members/linking';
import type { Caller } from '#command/account';
import type { LinkStore } from '#linking/store';
import { openAlgorandIndexer, type TestIndexer } from '../support/algorand-indexer.ts';
import { linkingWith, linkStore } from '../support/linking.ts';
import { algorandWallet, ethereumWallet } from '../support/wallet-keys.ts';

const ALICE: Caller = { platform: 'discord', id: '80351110224678912' };
const MINE = algorandWallet('mine');
const HOUR = 3_600;

let now: number;
let store: LinkStore;
let indexer: TestIndexer;
let linking: WalletLinking;

beforeEach(async () => {
  now = 1_800_000_000;
  store = linkStore();
  indexer = await openAlgorandIndexer();
  linking = linkingWith({
    store,
    clock: () => now * 1000,
    config: { ethereumRpcUrl: undefined, algorandIndexerUrl: indexer.url },
  });
  const { text } = await linking.of(ALICE).beginByHand(MINE.wallet);
  await linking.of(ALICE).handIn(await MINE.sign(text));
});

/** Runs the hourly upkeep for this long. */
async function runUpkeep(hours: number): Promise<void> {
  for (let i = 0; i < hours; i++) {
    now += HOUR;
    await linking.runUpkeep();
    await linking.stop();
    linking = linkingWith({
      store,
      clock: () => now * 1000,
      config: { ethereumRpcUrl: undefined, algorandIndexerUrl: indexer.url },
    });
  }
}

const wallets = async () => await linking.of(ALICE).wallets();

describe('an account that was rekeyed after it was linked', () => {
  beforeEach(() => {
    indexer.rekeyed.set(MINE.wallet.address, algorandWallet('another').wallet.address);
  });

  it('stays linked for a day, then goes after three plain answers, and its owner is told', async () => {
    await runUpkeep(25);
    expect(await wallets()).toHaveLength(1);
    await runUpkeep(4);
    expect(await wallets()).toEqual([]);
    const { losses } = await linking.of(ALICE).all();
    expect(losses.map(({ event }) => event)).toEqual(['lapsed']);
  });

  it('stays where it turns out to have its own key again', async () => {
    await runUpkeep(25);
    indexer.rekeyed.clear();
    await runUpkeep(60);
    expect(await wallets()).toHaveLength(1);
  });

  const faults: readonly (readonly [string, () => void])[] = [
    [
      'does not answer rightly',
      () => {
        indexer.instead = () => ({ status: 500, body: '' });
      },
    ],
    [
      'is of another network',
      () => {
        indexer.network = 'testnet-v1.0';
      },
    ],
    [
      'stands still',
      () => {
        indexer.blockAge = 10 * HOUR;
      },
    ],
  ];

  it.each(faults)('stays linked while the indexer %s', async (_, fail) => {
    fail();
    await runUpkeep(80);
    expect(await wallets()).toHaveLength(1);
  });
});

it('an account that keeps its key stays linked, and is asked about once a day', async () => {
  const before = indexer.asked.length;
  await runUpkeep(72);
  expect(await wallets()).toHaveLength(1);
  expect(indexer.asked.slice(before).filter((what) => what === 'account')).toHaveLength(2);
});

it('a wallet with its own key needs nobody to be asked', async () => {
  const mine = ethereumWallet('mine');
  const { text } = await linking.of(ALICE).beginByHand(mine.wallet);
  await linking.of(ALICE).handIn(await mine.sign(text));
  await runUpkeep(50);
  expect(await wallets()).toHaveLength(2);
});
