import { describe, expect, it } from 'vitest';
import { BATCH_BYTES, bodyOf } from '#webhooks/webhook';
import { FakeFeed } from '../support/change-feed.ts';
import { eventually } from '../support/eventually.ts';
import {
  ALL,
  add,
  expected,
  nameOf,
  openStore,
  Process,
  TestReceiver,
} from '../support/webhook-process.ts';

describe('deliveries of a webhook with long badges', () => {
  it('go in batches of at most 1 MB, in order, and alone if larger', async () => {
    const store = openStore();
    const feed = new FakeFeed();
    const receiver = new TestReceiver();
    const bodies: number[] = [];
    receiver.deed = (events) => {
      bodies.push(Buffer.byteLength(bodyOf(events)));
      return 'take';
    };
    await add(store, { events: ['badge.earned'] });
    await (await new Process().begin(store, feed, receiver)).stop();
    // Two bytes a letter, so that letters counted would be too few.
    for (let i = 0; i < 90; i++) feed.commit(`wallet ${i % 45}`, i, ['\u00f1'.repeat(15_000)]);
    feed.commit('large', 1, ['\u00f1'.repeat(600_000)]);
    for (let i = 0; i < 20; i++) feed.commit(`wallet ${i}`, i, ['og']);
    const process = await new Process().begin(store, feed, receiver);
    await eventually(() => receiver.events.length === 111);
    await process.stop();
    expect(new Set(receiver.events.map(nameOf)).size).toBe(111);
    for (const [wallet, names] of expected(feed, { ...ALL, events: ['badge.earned'] })) {
      expect(receiver.of(wallet)).toEqual(names);
    }
    const over = bodies.filter((bytes) => bytes > BATCH_BYTES);
    expect(over).toHaveLength(1);
    expect(receiver.sizes).toContain(33);
  });
});
