import { expect, it, onTestFinished } from 'vitest';
import { Turns } from '#base/process/upkeep';
import type { ChangeFeed } from '#reputation/changes';
import { testApi } from '../../support/api.ts';
import { TestSource } from '../../support/api-source.ts';
import { FakeFeed } from '../../support/change-feed.ts';
import { openMemoryStore } from '../../support/empty-store.ts';
import { addressOf } from '../../support/import-lines.ts';
import { activityOf, batchOf, writeTo } from '../../support/ledger.ts';

const STREAM = { Accept: 'text/event-stream' };

/** Counts turns of the event loop until the test ends. */
function countTurns(): { count: number } {
  const turns = { count: 0 };
  let isOver = false;
  const tick = () => {
    turns.count += 1;
    if (!isOver) setImmediate(tick);
  };
  setImmediate(tick);
  onTestFinished(() => {
    isOver = true;
  });
  return turns;
}

it('The API lets one of all waiting loops go on per turn, in their order', async () => {
  const turns = new Turns();
  const loop = countTurns();
  const gone: string[] = [];
  const run = async (name: string) => {
    for (let i = 0; i < 3; i += 1) {
      await turns.next();
      gone.push(`${name}${i}`);
    }
  };
  await Promise.all(['a', 'b', 'c'].map(run));
  expect(gone).toEqual(['a0', 'b0', 'c0', 'a1', 'b1', 'c1', 'a2', 'b2', 'c2']);
  expect(loop.count).toBeGreaterThanOrEqual(8);
});

it('The API serves streams that catch up one step per turn, so that others are answered between', async () => {
  const feed = new FakeFeed();
  for (let n = 0; n < 4_000; n += 1) feed.commit(addressOf('ethereum', n % 50), n);
  const loop = countTurns();
  const reads: number[] = [];
  const counted: ChangeFeed = {
    head: () => feed.head(),
    subscribe: (wake) => feed.subscribe(wake),
    read(query) {
      reads.push(loop.count);
      return feed.read(query);
    },
  };
  const source = Object.assign(new TestSource(), { changes: counted });
  const api = await testApi({ source });
  // Each from another place: those at the same one share their frames.
  const streams = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      api.get(`/v1/changes?after=${i}-0123456789ab`, { headers: STREAM }),
    ),
  );
  await Promise.all(
    streams.map(async ({ body }) => {
      const reader = (body as ReadableStream<Uint8Array>).getReader();
      onTestFinished(() => reader.cancel());
      const decoder = new TextDecoder();
      for (let text = ''; !text.includes('id: 4000\n'); ) {
        const { value, done } = await reader.read();
        if (done) throw new Error('a stream has ended');
        text = text.slice(-100) + decoder.decode(value, { stream: true });
      }
    }),
  );
  expect(reads.length).toBeGreaterThan(20 * 39);
  const perTurn = new Map<number, number>();
  for (const turn of reads) perTurn.set(turn, (perTurn.get(turn) ?? 0) + 1);
  expect(Math.max(...perTurn.values())).toBe(1);
});

it('The API leaves others a turn at each page of the feed, whoever goes through it', async () => {
  const store = openMemoryStore();
  onTestFinished(async () => void (await store.close()));
  const source = await store.openSource();
  for (let n = 0; n < 30; n += 1) {
    const wallet = { chain: 'ethereum' as const, address: addressOf('ethereum', n) };
    await writeTo(store, batchOf({ activities: [activityOf(wallet, `v${n.toString(32)}v`)] }));
  }
  await store.refresh();
  const loop = countTurns();
  let pages = 0;
  for (let after = '0', hasMore = true; hasMore; pages += 1) {
    const page = await source.changes?.read({ after, limit: 1, chain: 'all' });
    if (page === undefined || page === 'gone') throw new Error('the feed is gone');
    after = page.next;
    hasMore = page.hasMore;
  }
  expect(pages).toBe(30);
  expect(loop.count).toBeGreaterThanOrEqual(pages - 1);
});
