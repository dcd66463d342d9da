import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { sleep } from '#base/waiting/waits';
import type { ChangeEntry } from '#reputation/changes';
import { MOST_HELD_EVENTS } from '#webhooks/channel';
import type { WebhookStore, WebhookSummary } from '#webhooks/store';
import type { WebhookEvent, WebhookSettings } from '#webhooks/webhook';
import { FakeFeed } from '../support/change-feed.ts';
import { eventually } from '../support/eventually.ts';
import {
  ALL,
  add,
  type Deed,
  expected,
  finish,
  ID,
  nameOf,
  openStore,
  Process,
  REFUSED,
  TestReceiver,
  TIMINGS,
} from '../support/webhook-process.ts';

describe('deliveries of a webhook', () => {
  it('reach the receiver at least once and in order per wallet, whatever fails', async () => {
    const steps = fc.array(
      fc.oneof(
        { weight: 6, arbitrary: fc.tuple(fc.integer({ min: 0, max: 7 }), fc.nat(9_999)) },
        { weight: 1, arbitrary: fc.constantFrom('kill', 'replace', 'restart', 'wait') },
      ),
      { minLength: 1, maxLength: 60 },
    );
    const deeds = fc.array(fc.constantFrom<Deed>('take', 'take', 'refuse', 'lose'), {
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(steps, deeds, async (path, planned) => {
        const store = openStore();
        const feed = new FakeFeed();
        const receiver = new TestReceiver();
        receiver.deeds = [...planned];
        await add(store);
        let process = await new Process().begin(store, feed, receiver);
        let mayRepeat = planned.includes('lose');
        for (const step of path) {
          if (typeof step !== 'string') feed.commit(`wallet ${step[0]}`, step[1], ['og']);
          else if (step === 'wait') await sleep(2);
          else {
            const before = process;
            if (step === 'kill') process.kill();
            if (step === 'restart') await process.stop();
            else mayRepeat = true;
            process = await new Process().begin(store, feed, receiver);
            // A suspended process notices it too late, and goes on meanwhile.
            if (step === 'replace') before.isHeld = false;
          }
        }
        const progress = await finish(process, store, feed, receiver);
        expect(progress).toMatchObject({ cursor: feed.head(), deliveries: [], events: [] });
        for (const [wallet, names] of expected(feed)) {
          const arrived = receiver.of(wallet);
          expect([...new Set(arrived)]).toEqual(names);
          if (!mayRepeat) expect(arrived).toEqual(names);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('Deliveries of a webhook that fail hold back later events of the same wallets alone', async () => {
    const store = openStore();
    const feed = new FakeFeed();
    const receiver = new TestReceiver();
    let isPoisoned = true;
    receiver.deed = (events) =>
      isPoisoned && events.some(({ data }) => data.address === 'bad') ? 'refuse' : 'take';
    await add(store, { events: ['score.changed'] });
    const process = await new Process().begin(store, feed, receiver);
    for (let i = 1; i <= 30; i++) {
      feed.commit('bad', i);
      feed.commit('good', i);
    }
    await eventually(() => receiver.of('good').length === 30);
    expect(receiver.of('bad')).toEqual([]);

    // Everything is kept for whoever continues.
    process.kill();
    const next = await new Process().begin(store, feed, receiver);
    isPoisoned = false;
    await eventually(() => receiver.of('bad').length === 30);
    expect(receiver.of('bad')).toEqual(feed.entries.filter(isOf('bad')).map(scoreName));
    await next.stop();
  });

  it('leave the store in trouble until it keeps what was delivered', async () => {
    const store = openStore();
    const feed = new FakeFeed();
    const receiver = new TestReceiver();
    await add(store);
    let refused = 0;
    let isFull = true;
    const full: WebhookStore['commit'] = async (...of) => {
      if (!isFull) return await store.commit(...of);
      refused += 1;
      throw new RetryableError('full');
    };
    const said: boolean[] = [];
    const process = await new Process().begin(store, feed, receiver, {
      store: { begin: (id) => store.begin(id), commit: full },
      timings: { ...TIMINGS, commitEvery: 20 },
      onStore: (error) => said.push(error === undefined),
    });
    feed.commit('wallet', 1);
    await eventually(() => refused >= 3);
    const before = said.slice(said.indexOf(false));
    isFull = false;
    await eventually(() => said.at(-1));
    await process.stop();
    expect(before).not.toContain(true);
  });

  it('wait for nobody: a wallet whose delivery hangs delays no other', async () => {
    const store = openStore();
    const feed = new FakeFeed();
    const receiver = new TestReceiver();
    const gate = Promise.withResolvers<void>();
    receiver.gates.set('slow', gate.promise);
    await add(store, { events: ['score.changed'] });
    const process = await new Process().begin(store, feed, receiver);
    feed.commit('slow', 1);
    await eventually(() => receiver.of('slow').length === 1);
    for (let i = 1; i <= 9; i++) {
      feed.commit('slow', 10 + i);
      feed.commit(`wallet ${i}`, i);
    }
    await eventually(() => receiver.events.length === 10);
    expect(receiver.of('slow')).toHaveLength(1);
    gate.resolve();
    await finish(process, store, feed, receiver, { ...ALL, events: ['score.changed'] });
  });

  it('go in batches of at most 100 under load, in order', async () => {
    const store = openStore();
    const feed = new FakeFeed();
    const receiver = new TestReceiver();
    await add(store, { events: ['score.changed'] });
    await (await new Process().begin(store, feed, receiver)).stop();
    for (let i = 0; i < 1_234; i++) feed.commit(`wallet ${i}`, 1);
    const process = await new Process().begin(store, feed, receiver);
    await eventually(() => receiver.events.length === 1_234);
    await process.stop();
    expect(Math.max(...receiver.sizes)).toBe(100);
    expect(receiver.sizes.length).toBeLessThan(60);
    expect(receiver.events.map(nameOf)).toEqual(feed.entries.map(scoreName));
  });

  it('come one by one, ever more rarely, to a receiver that is down', async () => {
    const store = openStore();
    const feed = new FakeFeed();
    const receiver = new TestReceiver();
    receiver.deed = () => 'refuse';
    await add(store);
    await (await new Process().begin(store, feed, receiver)).stop();
    for (let i = 0; i < 3_000; i++) feed.commit(`wallet ${i}`, 1);
    let now = 0;
    const more = { monotonic: () => now };
    const process = await new Process().begin(store, feed, receiver, more);
    await eventually(() => process.channel.isDown);
    await sleep(20);
    const tried = receiver.ids.length;
    expect(tried).toBeLessThan(10);
    expect(process.channel.held).toBeLessThan(2_000);

    // Whatever is committed, nothing is due before its time.
    feed.commit('another', 1);
    await sleep(20);
    expect(receiver.ids).toHaveLength(tried);
    now += 8;
    await eventually(() => receiver.ids.length > tried);

    // One successful delivery is enough.
    receiver.deed = () => 'take';
    now += 8;
    await finish(process, store, feed, receiver);
  });

  it('reach other wallets though a receiver takes none of many wallets', async () => {
    const store = openStore();
    const feed = new FakeFeed();
    const receiver = new TestReceiver();
    receiver.deed = (events) =>
      events.some(({ data }) => data.address.startsWith('bad')) ? 'refuse' : 'take';
    const settings: WebhookSettings = { ...ALL, events: ['score.changed'] };
    await add(store, settings);
    const process = await new Process().begin(store, feed, receiver);
    for (let i = 0; i < 8; i++) feed.commit(`bad ${i}`, 1);
    await eventually(() => process.channel.isDown);
    feed.commit('good', 1);
    await eventually(() => receiver.of('good').length === 1);
    receiver.deed = () => 'take';
    await finish(process, store, feed, receiver, settings);
  });

  it('hold no more than the limit for wallets whose deliveries fail', async () => {
    const store = openStore();
    const feed = new FakeFeed();
    const receiver = new TestReceiver();
    receiver.deed = (events) => (events.some(isOfBad) ? 'refuse' : 'take');
    const isOfBad = ({ data }: WebhookEvent) => data.address === 'bad';
    await add(store, { events: ['score.changed'] });
    await (await new Process().begin(store, feed, receiver)).stop();
    for (let i = 1; i <= 2 * MOST_HELD_EVENTS; i++) feed.commit(i % 2 ? 'bad' : 'good', i);
    for (let i = 1; i <= MOST_HELD_EVENTS; i++) feed.commit('bad', -i);
    const process = await new Process().begin(store, feed, receiver);
    await eventually(() => process.channel.held > MOST_HELD_EVENTS - 1);
    expect(process.channel.held).toBeLessThan(MOST_HELD_EVENTS + 500);
    await process.stop();
  });

  it('end at a replica that has lost the webhook to another, before it sends anything more', async () => {
    const store = openStore();
    const feed = new FakeFeed();
    const receiver = new TestReceiver();
    await add(store, { events: ['score.changed'] });
    const process = await new Process().begin(store, feed, receiver);
    feed.commit('a', 1);
    await eventually(() => receiver.events.length === 1);
    process.isHeld = false;
    feed.commit('a', 2);
    await process.over;
    expect(receiver.events).toHaveLength(1);
  });

  it('keep their id when they are sent again', async () => {
    const store = openStore();
    const feed = new FakeFeed();
    const receiver = new TestReceiver();
    receiver.deeds = ['refuse', 'lose', 'refuse'];
    await add(store, { events: ['score.changed'] });
    const process = await new Process().begin(store, feed, receiver);
    feed.commit('a', 1);
    await eventually(() => receiver.ids.length === 4);
    expect(new Set(receiver.ids).size).toBe(1);
    await process.stop();
  });

  it('wait as long as Retry-After says, up to the limit', async () => {
    const store = openStore();
    const feed = new FakeFeed();
    const receiver = new TestReceiver();
    let now = 0;
    receiver.deed = () => 'refuse';
    receiver.result = { ...REFUSED, retryAfterSeconds: 7_200 };
    await add(store, { events: ['score.changed'] });
    const timings = { ...TIMINGS, longestRetryAfter: 3_600_000 };
    const more = { monotonic: () => now, timings };
    const process = await new Process().begin(store, feed, receiver, more);
    feed.commit('a', 1);
    await eventually(() => receiver.ids.length === 1);
    now = 3_599_999;
    feed.commit('b', 1);
    await sleep(20);
    expect(receiver.ids).toHaveLength(1);
    now = 3_600_000;
    feed.commit('c', 1);
    await eventually(() => receiver.ids.length > 1);
    await process.stop();
  });

  it('pause after three days of failures, with words, and go on when resumed', async () => {
    const store = openStore();
    const feed = new FakeFeed();
    const receiver = new TestReceiver();
    receiver.deed = () => 'refuse';
    let now = 0;
    const timings = { ...TIMINGS, giveUp: 3 * 86_400_000, backoff: () => 3_600_000 };
    await add(store, { events: ['score.changed'] });
    const more = { monotonic: () => now, timings };
    const process = await new Process().begin(store, feed, receiver, more);
    feed.commit('a', 1);
    for (let hour = 1; hour <= 72; hour++) {
      await eventually(() => receiver.ids.length === hour);
      expect((await store.list())[0]?.pause).toBeUndefined();
      now += 3_600_000;
      feed.commit('a', 1 + hour);
    }
    await process.over;
    const [{ pause, held }] = (await store.list()) as [WebhookSummary];
    expect(pause?.reason).toMatch(/three days.*HTTP 500/);
    expect(held).toBeGreaterThan(0);
    expect(await store.begin(ID)).toBeUndefined();

    await store.resume(ID, false);
    receiver.deed = () => 'take';
    const next = await new Process().begin(store, feed, receiver);
    await eventually(() => receiver.of('a').length === feed.entries.length);
    await next.stop();
  });

  it('end at once when the receiver answers that it is gone', async () => {
    const store = openStore();
    const feed = new FakeFeed();
    const receiver = new TestReceiver();
    receiver.deed = () => 'refuse';
    receiver.result = { isTaken: false, result: 'HTTP 410', isGone: true };
    await add(store, { events: ['score.changed'] });
    // Its progress would be written in an hour.
    const timings = { ...TIMINGS, commitEvery: 3_600_000 };
    const process = await new Process().begin(store, feed, receiver, { timings });
    feed.commit('a', 1);
    await process.over;
    expect(receiver.ids).toHaveLength(1);
    const [{ pause, held }] = (await store.list()) as [WebhookSummary];
    expect(pause?.reason).toMatch(/410.*Resume it/);
    expect(held).toBe(1);
    expect(await store.begin(ID)).toBeUndefined();

    // Nothing is lost if it comes back.
    await store.resume(ID, false);
    receiver.deed = () => 'take';
    const next = await new Process().begin(store, feed, receiver);
    await eventually(() => receiver.of('a').length === 1);
    await next.stop();
  });

  it('pause with words when the feed no longer has what follows, and not before', async () => {
    const store = openStore();
    const feed = new FakeFeed();
    const receiver = new TestReceiver();
    await add(store);
    await (await new Process().begin(store, feed, receiver)).stop();
    feed.commit('a', 1);
    feed.pruned = 1;
    let now = 0;
    const timings = { ...TIMINGS, goneAfter: 30_000 };
    const more = { monotonic: () => now, timings };
    const process = await new Process().begin(store, feed, receiver, more);
    await sleep(10);
    expect((await store.list())[0]?.pause).toBeUndefined();
    now = 29_999;
    await sleep(10);
    expect((await store.list())[0]?.pause).toBeUndefined();
    now = 60_000;
    await process.over;
    expect((await store.list())[0]?.pause?.reason).toMatch(/no longer knows/);

    await store.resume(ID, false);
    const next = await new Process().begin(store, feed, receiver);
    feed.commit('b', 1);
    await eventually(() => receiver.of('b').length === 2);
    expect(receiver.of('a')).toEqual([]);
    await next.stop();
  });

  it('are those that were asked for: events, tiers and chain', async () => {
    const store = openStore();
    const feed = new FakeFeed();
    const receiver = new TestReceiver();
    const settings: WebhookSettings = { ...ALL, events: ['tier.changed'], minTier: 'Shark' };
    await add(store, settings);
    const process = await new Process().begin(store, feed, receiver);
    feed.commit('a', 100);
    feed.commit('a', 2_000);
    feed.commit('a', 2_001);
    feed.commit('a', 9_999);
    feed.commit('a', 1);
    feed.commit('a', 600);
    await eventually(() => receiver.of('a').length === 3);
    expect(receiver.of('a')).toEqual(['2:tier.changed', '4:tier.changed', '5:tier.changed']);
    await process.stop();
  });
});

const isOf = (wallet: string) => (each: ChangeEntry) =>
  'address' in each && each.address === wallet;
const scoreName = ({ cursor }: ChangeEntry) => `${cursor}:score.changed`;
