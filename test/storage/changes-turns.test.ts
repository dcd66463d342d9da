import { expect, it } from 'vitest';
import { createChangeFeed, type FeedParts } from '#storage/changes/feed';
import { ChangePacker } from '#storage/changes/packed-changes';

const PARTS = 20;
const BATCH = { id: 1, uid: 'aaaaaaaaaaaa' };

/** A feed of so many entries that its parts are full, all of wallets of Ethereum. */
function fullFeed() {
  const packer = new ChangePacker();
  for (let wallet = 1; wallet <= PARTS * 1_000; wallet += 1) packer.add(wallet, undefined, 10);
  let first = 1;
  const rows = packer.end().map(({ count, bytes }) => {
    const row = { ...{ first, count, changes: bytes, base: 0, committed_at: 1 }, ...BATCH };
    first += count;
    return row;
  });
  const standings = { has: () => true, chain: () => 'ethereum', address: String };
  return createChangeFeed({
    follower: { shown: { position: { complete: BATCH }, standings } },
    rows: { start: () => ({ shown_to: PARTS * 1_000 }), parts: () => rows },
    thresholds: {},
  } as unknown as FeedParts);
}

/** @returns what `work` returned, and how many turns the event loop made meanwhile */
async function countingTurns<T>(work: () => Promise<T>): Promise<{ result: T; turns: number }> {
  let isOver = false;
  let turns = 0;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const result = await work();
  isOver = true;
  return { result, turns };
}

it('A page of one chain leaves others a turn for each part of other chains that it reads', async () => {
  const feed = fullFeed();
  const query = { after: '0', limit: 1_000, chain: 'algorand' } as const;
  const { result, turns } = await countingTurns(() => feed.read(query));
  expect(result).toMatchObject({ changes: [], hasMore: false });
  expect(turns).toBeGreaterThanOrEqual(PARTS);
});

it('Pages of changes that many read at once leave others a turn for each part of each', async () => {
  const feed = fullFeed();
  const query = { after: '0', limit: 1_000, chain: 'algorand' } as const;
  const { turns } = await countingTurns(() =>
    Promise.all(Array.from({ length: 8 }, () => feed.read(query))),
  );
  expect(turns).toBeGreaterThanOrEqual(8 * PARTS);
});
