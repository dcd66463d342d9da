import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RetryableError } from '#base/errors';
import { ReplicaInbox } from '#cluster/inbox';
import { MemoryWork } from '#cluster/memory-work';
import { Replica } from '#cluster/replica';
import { silentLog } from '../support/log.ts';
import { TestInbox } from '../support/telegram/inbox.ts';

const DELIVERY = { platform: 'telegram', id: '1', body: '{}' } as const;

let work: MemoryWork;
let store: TestInbox;
let replica: Replica;
let inbox: ReplicaInbox;
let isAway: boolean;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date', 'performance'] });
  isAway = false;
  work = new MemoryWork(() => performance.now());
  const beat = work.beat.bind(work);
  work.beat = (id) => {
    if (isAway) throw new RetryableError('The store is away.');
    return beat(id);
  };
  store = new TestInbox();
  replica = new Replica({ id: 'a', store: work, log: silentLog });
  inbox = new ReplicaInbox(store, replica);
  await replica.begin();
});
afterEach(async () => {
  await replica.stop();
  vi.useRealTimers();
});

const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);
const isHeld = () => inbox.isHeld('telegram', '1', 'a');

it("A replica's inbox checks no delivery while the replica is healthy", async () => {
  await inbox.receive(DELIVERY, 'a');
  for (let i = 0; i < 10; i++) {
    await pass(5);
    expect(await isHeld()).toBe(true);
  }
  expect(store.asked).toBe(0);
});

it("A replica's inbox does not hold a delivery that was taken over while the replica was silent", async () => {
  await inbox.receive(DELIVERY, 'a');
  isAway = true;
  await pass(14);
  store.bury('a');
  await store.takeOver('telegram', 'b', 1);
  isAway = false;
  expect(await isHeld()).toBe(false);
  // However long it's steady again.
  await pass(60);
  expect(await isHeld()).toBe(false);
});

it("A replica's inbox takes nothing over while the replica leaves all work to the others", async () => {
  await store.receive(DELIVERY, 'b');
  store.bury('b');
  replica.standAside('settings', true);
  expect(await inbox.takeOver('telegram', 'a', 1)).toEqual([]);
  replica.standAside('settings', false);
  expect(await inbox.takeOver('telegram', 'a', 1)).toEqual([DELIVERY]);
});

it("A replica's inbox holds one that nobody took over, and checks it once", async () => {
  await inbox.receive(DELIVERY, 'a');
  isAway = true;
  await pass(14);
  isAway = false;
  expect(await isHeld()).toBe(true);
  expect(store.asked).toBe(1);
  await pass(5);
  expect(await isHeld()).toBe(true);
  expect(store.asked).toBe(1);
});

it("A replica's inbox sends a heartbeat before it asks, so that the answer stays true", async () => {
  await inbox.receive(DELIVERY, 'a');
  isAway = true;
  await pass(14);
  isAway = false;
  const order: string[] = [];
  const { beat } = work;
  work.beat = (id) => {
    order.push('beat');
    return beat.call(work, id);
  };
  const { isHeld: asked } = store;
  store.isHeld = (...given) => {
    order.push('asked');
    return asked.apply(store, given);
  };
  await isHeld();
  expect(order).toEqual(['beat', 'asked']);
});

it("A replica's inbox reports nothing while the store cannot be queried", async () => {
  await inbox.receive(DELIVERY, 'a');
  isAway = true;
  await pass(7);
  await expect(isHeld()).rejects.toThrow(RetryableError);
});

it("A replica's inbox checks what arrived between two heartbeats that were far apart", async () => {
  isAway = true;
  await pass(14);
  await inbox.receive(DELIVERY, 'a');
  isAway = false;
  await pass(2);
  expect(await isHeld()).toBe(true);
  expect(store.asked).toBe(1);
});

it("A replica's inbox forgets what was settled, and knows what was taken over", async () => {
  await inbox.receive(DELIVERY, 'b');
  await inbox.settle('telegram', '1');
  await store.receive({ ...DELIVERY, id: '2' }, 'b');
  store.bury('b');
  await inbox.takeOver('telegram', 'a', 5);
  expect(await inbox.isHeld('telegram', '2', 'a')).toBe(true);
  expect(store.asked).toBe(0);
  expect(await isHeld()).toBe(false);
});
