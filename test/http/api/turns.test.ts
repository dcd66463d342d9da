import { expect, it, onTestFinished } from 'vitest';
import { Turns } from '#base/process/upkeep';
import { serializeList } from '#http/api/routes/list-route';
import type { ChangeFeed } from '#reputation/changes';
import { testApi } from '../../support/api.ts';
import { TestSource } from '../../support/api-source.ts';
import { FakeFeed } from '../../support/change-feed.ts';
import { openMemoryStore } from '../../support/empty-store.ts';
import { addressOf } from '../../support/import-lines.ts';
import { activityOf, badgeNamed, batchOf, writeTo } from '../../support/ledger.ts';

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

it('The API gives others a turn after each page of the feed', async () => {
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

const WALLETS = Array.from({ length: 40 }, (_, n) => addressOf('ethereum', n));
const MANY = 100;

/** Wallets that have many badges each. */
async function decorated() {
  const store = openMemoryStore();
  onTestFinished(async () => void (await store.close()));
  const source = await store.openSource();
  const ids = Array.from({ length: MANY }, (_, n) => `b${n}v`);
  await writeTo(
    store,
    batchOf({
      badges: ids.map((id) => badgeNamed(id)),
      activities: WALLETS.flatMap((address) =>
        ids.map((badge) => activityOf({ chain: 'ethereum', address }, badge, { badge })),
      ),
    }),
  );
  await store.refresh();
  return { store, source };
}

it('The API leaves others turns while it reads the badges of many, and shows one state of them', async () => {
  const { store, source } = await decorated();
  const wallets = WALLETS.map((address) => ({ chain: 'ethereum' as const, address }));
  const reading = source.reading();
  const loop = countTurns();
  const asked = reading.badgeLists(wallets);
  const { revision } = reading;
  const last = wallets.at(-1);
  if (last === undefined) throw new Error('there are no wallets');
  const another = batchOf({ badges: [badgeNamed('another')] });
  await writeTo(store, { ...another, activities: [activityOf(last, 'x', { badge: 'another' })] });
  await store.refresh();
  const lists = await asked;
  expect(loop.count).toBeGreaterThanOrEqual(3);
  expect(lists.map((each) => each?.total)).toEqual(WALLETS.map(() => MANY));
  expect(reading.revision).toBe(revision);
  expect((await source.reading().badges(last))?.total).toBe(MANY + 1);
});

it('A long list is written in turns, and reads as one that is written at once', async () => {
  const results = WALLETS.map((address) => ({ address, text: 'é'.repeat(20_000) }));
  const one = (record: object) => JSON.stringify(record);
  const loop = countTurns();
  const written = serializeList({ results }, one, new Turns());
  expect(written).toBeInstanceOf(Promise);
  expect(String(await written)).toBe(JSON.stringify({ results }));
  expect(loop.count).toBeGreaterThanOrEqual(2);
  const few = { results: results.slice(0, 2) };
  expect(serializeList(few, one, new Turns())).toBe(JSON.stringify(few));
});
