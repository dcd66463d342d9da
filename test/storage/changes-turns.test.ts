import { expect, it } from 'vitest';
import { createChangeFeed, type FeedParts } from '#storage/changes/feed';
import { ChangePacker } from '#storage/changes/packed-changes';

const PARTS = 20;
const BATCH = { id: 1, uid: 'aaaaaaaaaaaa' };

it('A page of one chain leaves others a turn for each part of other chains that it reads', async () => {
  const packer = new ChangePacker();
  for (let wallet = 1; wallet <= PARTS * 1_000; wallet += 1) packer.add(wallet, undefined, 10);
  let first = 1;
  const rows = packer.end().map(({ count, bytes }) => {
    const row = { ...{ first, count, changes: bytes, base: 0, committed_at: 1 }, ...BATCH };
    first += count;
    return row;
  });
  const standings = { has: () => true, chain: () => 'ethereum', address: String };
  const feed = createChangeFeed({
    follower: { shown: { position: { complete: BATCH }, standings } },
    rows: { start: () => ({ shown_to: PARTS * 1_000 }), parts: () => rows },
    thresholds: {},
  } as unknown as FeedParts);

  let isOver = false;
  let turns = 0;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const page = await feed.read({ after: '0', limit: 1_000, chain: 'algorand' });
  isOver = true;

  expect(page).toMatchObject({ changes: [], hasMore: false });
  expect(turns).toBeGreaterThanOrEqual(PARTS);
});
