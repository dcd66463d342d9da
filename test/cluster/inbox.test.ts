import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RetryableError } from '#base/errors';
import { type Delivery, Inbox, type InboxStore } from '#cluster/inbox';
import { silentLog } from '../support/log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const LOOK_MS = 100;

/** A store with one replica, and a way to make it unavailable. */
function scene() {
  const held = new Map<string, string>();
  const left: Delivery[] = [];
  const store = { isAway: false, settled: [] as string[], held, left };
  const answer = <T>(value: () => T): T => {
    if (store.isAway) throw new RetryableError('away');
    return value();
  };
  const inboxStore: InboxStore = {
    receive: ({ id, body }) =>
      answer(() => {
        if (held.has(id)) return false;
        held.set(id, body);
        return true;
      }),
    isHeld: (_, id) => answer(() => held.has(id)),
    settle: (_, id) => answer(() => void store.settled.push(id)),
    takeOver: (_, __, limit) => answer(() => left.splice(0, limit)),
    waiting: () => [],
  };
  const closing = new AbortController();
  const warn = vi.fn();
  const info = vi.fn();
  const inbox = new Inbox({
    platform: 'telegram',
    store: inboxStore,
    replica: 'a',
    pollMs: LOOK_MS,
    log: { ...silentLog, warn, info },
    words: { away: 'gone', back: 'back' },
    signal: closing.signal,
  });
  return { inbox, store, closing, warn, info };
}

/** Long enough for a check, whatever its jitter. */
const look = () => vi.advanceTimersByTimeAsync(2 * LOOK_MS);

describe('Inbox', () => {
  it('says whether a delivery is new, and once that the store is unavailable', async () => {
    const { inbox, store, warn, info } = scene();
    expect(await inbox.receive('1', '{}')).toBe(true);
    expect(await inbox.receive('1', '{}')).toBe(false);
    store.isAway = true;
    expect(await inbox.receive('2', '{}')).toBeUndefined();
    expect(await inbox.receive('2', '{}')).toBeUndefined();
    expect(warn).toHaveBeenCalledTimes(1);
    store.isAway = false;
    expect(await inbox.receive('2', '{}')).toBe(true);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await inbox.receive('3', '{}')).toBe(true);
    expect(info).toHaveBeenCalledExactlyOnceWith({}, 'back');
  });

  it('says once that the store is unavailable while it answers now and then', async () => {
    const { inbox, store, warn, info } = scene();
    for (let i = 0; i < 10; i += 1) {
      store.isAway = i % 2 === 0;
      await inbox.receive(String(i), '{}');
      await vi.advanceTimersByTimeAsync(LOOK_MS);
    }
    expect(warn).toHaveBeenCalledTimes(1);
    expect(info).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(10 * LOOK_MS);
    await inbox.receive('10', '{}');
    expect(info).toHaveBeenCalledExactlyOnceWith({}, 'back');
  });

  it('waits until the store can say whether a delivery is still ours', async () => {
    const { inbox, store } = scene();
    await inbox.receive('1', '{}');
    store.isAway = true;
    const isOurs = inbox.isOurs('1');
    await look();
    store.isAway = false;
    await look();
    expect(await isOurs).toBe(true);
    store.held.delete('1');
    expect(await inbox.isOurs('1')).toBe(false);
    // That's up to the replica that has it now.
    await inbox.settle('1');
    expect(store.settled).toEqual([]);
  });

  it('treats a delivery that the store never had as ours', async () => {
    const { inbox, store } = scene();
    store.isAway = true;
    await inbox.receive('1', '{}');
    expect(await inbox.isOurs('1')).toBe(true);
  });

  it('repeats settlements that the store missed', async () => {
    const { inbox, store, closing } = scene();
    void inbox.watch({ free: () => 1, resume: () => {} });
    await inbox.receive('1', '{}');
    await inbox.receive('2', '{}');
    store.isAway = true;
    const settled = Promise.all([inbox.settle('1'), inbox.settle('2')]);
    await look();
    inbox.stop();
    store.isAway = false;
    await look();
    await settled;
    expect(store.settled).toEqual(['1', '2']);
    closing.abort();
  });

  it("gives up what it couldn't settle when it's closed", async () => {
    const { inbox, store, closing } = scene();
    await inbox.receive('1', '{}');
    store.isAway = true;
    const settled = inbox.settle('1');
    await vi.advanceTimersByTimeAsync(0);
    closing.abort();
    await settled;
    expect(store.settled).toEqual([]);
  });

  it("takes over what others have left, as far as there's room, until it's stopped", async () => {
    const { inbox, store, closing } = scene();
    const delivery = (id: string): Delivery => ({ platform: 'telegram', id, body: '{}' });
    store.left.push(delivery('1'), delivery('2'), delivery('3'));
    const resumed: string[] = [];
    const watching = inbox.watch({
      free: () => 2 - resumed.length,
      resume: ({ id }) => void resumed.push(id),
    });
    await look();
    await look();
    expect(resumed).toEqual(['1', '2']);
    resumed.length = 0;
    inbox.stop();
    await look();
    expect(resumed).toEqual([]);
    closing.abort();
    await watching;
  });
});
