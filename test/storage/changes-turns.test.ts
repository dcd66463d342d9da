import { expect, it } from 'vitest';
import { type ChangeRows, createChangeFeed, type FeedParts } from '#storage/changes/feed';
import { ChangePacker } from '#storage/changes/packed-changes';

const PARTS = 20;
const BATCH = { id: 1, uid: 'aaaaaaaaaaaa' };

/**
 * A feed of so many entries that its parts are full, all of wallets of Ethereum.
 * @param onParts called with what is asked of the store
 */
function fullFeed(onParts: (after: number, upTo: number) => void = () => undefined) {
  const packer = new ChangePacker();
  for (let wallet = 1; wallet <= PARTS * 1_000; wallet += 1) packer.add(wallet, undefined, 10);
  let first = 1;
  const rows = packer.end().map(({ count, bytes }) => {
    const row = { ...{ first, count, changes: bytes, base: 0, committed_at: 1 }, ...BATCH };
    first += count;
    return row;
  });
  const parts: ChangeRows['parts'] = (_, after, upTo) => {
    onParts(after, upTo);
    return rows.filter((row) => row.first <= upTo && row.first + row.count - 1 > after);
  };
  const wallet = { chain: () => 'ethereum', address: String, badgeIds: () => [] };
  const standings = { has: () => true, ...wallet };
  return createChangeFeed({
    follower: { shown: { position: { complete: BATCH }, standings } },
    rows: {
      start: () => ({
        shown_to: PARTS * 1_000,
        asked_uid: BATCH.uid,
        asked_from: 0,
        asked_to: PARTS * 1_000,
      }),
      parts,
    },
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

it('A page of changes takes no more entries from the store than it may show', async () => {
  let taken = 0;
  const feed = fullFeed((after, upTo) => {
    taken += upTo - after;
  });
  let after = '0';
  const shown: unknown[] = [];
  for (let page = 1; page <= 5; page += 1) {
    const read = await feed.read({ after, limit: 700, chain: 'all' });
    if (read === 'gone') throw new Error('nothing was pruned');
    shown.push(...read.changes.map((each) => 'address' in each && each.address));
    after = read.next;
    expect(taken).toBe(page * 700);
  }
  expect(shown).toEqual(Array.from({ length: 5 * 700 }, (_, i) => String(i + 1)));
});
