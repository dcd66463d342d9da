import { expect, it, onTestFinished } from 'vitest';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openStore } from '#storage';
import type { Store } from '#storage/store';
import type { Wallet } from '#wallet/wallet';
import { addressOf } from '../support/import-lines.ts';
import { activityOf, badgeNamed, batchOf, correctionOf, writeTo } from '../support/ledger.ts';
import { silentLog } from '../support/log.ts';
import { refreshed } from '../support/refreshed.ts';
import { STORE_KINDS, type StoreKind, storePlaces } from '../support/store-places.ts';

/* A correction changes a wallet's points, badges and their times in one turn of the event loop. */

const places = storePlaces();
const EARNED = 1_000;
const MOVED = 2_000;

async function followed(kind: StoreKind): Promise<{ follower: Store; others: Store }> {
  const url = await places.newStore(kind);
  const open = () => openStore(url, { thresholds: DEFAULT_THRESHOLDS, log: silentLog });
  const [follower, others] = [await open(), await open()];
  onTestFinished(async () => {
    await Promise.all([follower.close(), others.close()]);
  });
  return { follower, others };
}

const walletAt = (i: number): Wallet => ({
  chain: 'ethereum',
  address: addressOf('ethereum', i),
});
const keyOf = (i: number) => i.toString(16).padStart(16, '0');

it.each(STORE_KINDS)('%s corrects points and badges in one turn', async (kind) => {
  const { follower, others } = await followed(kind);
  const source = await follower.openSource();
  const wallets = Array.from({ length: 50 }, (_, i) => walletAt(i));
  // Rows of one wallet in a number that no page is a multiple of.
  const rows = wallets.flatMap((wallet) =>
    ['a', 'b', 'c'].map((key) =>
      activityOf(wallet, key, { points: 10, badge: `badge-${key}`, timestamp: EARNED }),
    ),
  );
  const badges = ['a', 'b', 'c', 'd'].map((key) => badgeNamed(`badge-${key}`));
  await writeTo(others, batchOf({ badges, activities: rows }));
  await refreshed(follower);

  const seen = new Set<string>();
  const faults: unknown[] = [];
  let isOver = false;
  const look = async () => {
    const reading = source.reading();
    for (const wallet of wallets) {
      const { score } = (await reading.reputation(wallet)) ?? {};
      const list = (await reading.badges(wallet))?.badges;
      const badges = list?.map(({ id, earnedAt }) => `${id} ${Date.parse(earnedAt) / 1000}`);
      seen.add(`${score}: ${badges?.sort((one, other) => (one < other ? -1 : 1)).join(', ')}`);
    }
  };
  const next = () => {
    look().catch((error: unknown) => faults.push(error));
    if (!isOver) setImmediate(next);
  };
  setImmediate(next);
  const writer = others.openWriter();
  await writer.stageCorrections(
    wallets.flatMap((wallet, i) => [
      // It takes a badge, gives another for it, and moves one.
      correctionOf(`1${keyOf(3 * i).slice(1)}`, 'a', { wallet, points: 0, badge: undefined }),
      correctionOf(`2${keyOf(3 * i).slice(1)}`, 'b', {
        ...{ wallet, points: 7, badge: 'badge-d', timestamp: EARNED },
      }),
      correctionOf(`0${keyOf(3 * i).slice(1)}`, 'c', {
        ...{ wallet, points: 10, badge: 'badge-c', timestamp: MOVED },
      }),
    ]),
  );
  await writer.commit();
  await writer.finish();
  await refreshed(follower);
  await look();
  isOver = true;
  expect(faults).toEqual([]);
  expect([...seen].sort((one, other) => (one < other ? -1 : 1))).toEqual([
    `17: badge-c ${MOVED}, badge-d ${EARNED}`,
    `30: badge-a ${EARNED}, badge-b ${EARNED}, badge-c ${EARNED}`,
  ]);
});

it.each(STORE_KINDS)(
  '%s ends right where a wallet has more corrections than fit a page',
  async (kind) => {
    const { follower, others } = await followed(kind);
    const source = await follower.openSource();
    const wallet = walletAt(0);
    const activities = Array.from({ length: 300 }, (_, i) =>
      activityOf(wallet, `a${keyOf(i).slice(1)}`, {
        points: 1,
        badge: 'badge-a',
        timestamp: EARNED + i,
      }),
    );
    const badges = [badgeNamed('badge-a'), badgeNamed('badge-b')];
    await writeTo(others, batchOf({ badges, activities }));
    await refreshed(follower);
    const writer = others.openWriter();
    const correct = (id: string, i: number, badge: string | undefined) =>
      correctionOf(id, `a${keyOf(i).slice(1)}`, { wallet, points: 0, badge });
    await writer.stageCorrections([
      ...activities.map((_, i) => correct(`c${keyOf(i).slice(1)}`, i, undefined)),
      // Given and taken back, by rows in the other order.
      correct('x', 0, 'badge-b'),
      correct('b', 0, undefined),
    ]);
    await writer.commit();
    await writer.finish();
    await refreshed(follower);
    const reading = source.reading();
    expect(await reading.reputation(wallet)).toMatchObject({ score: 0 });
    expect(await reading.badges(wallet)).toMatchObject({ badges: [] });
  },
);
