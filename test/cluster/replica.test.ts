import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BusyError, RetryableError, UserError } from '#base/errors';
import { runIfDue } from '#cluster/claims';
import { MemoryWork } from '#cluster/memory-work';
import { type Lease, Replica } from '#cluster/replica';
import { BEAT_SECONDS, type WorkStore } from '#cluster/store';
import { TestLog } from '../support/api.ts';
import { silentLog } from '../support/log.ts';

let store: MemoryWork;
const replicas: Replica[] = [];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date', 'performance'] });
  store = new MemoryWork(Date.now);
});
afterEach(async () => {
  for (const each of replicas.splice(0)) await each.stop();
  vi.useRealTimers();
});

function replicaOf(id: string, work: WorkStore = store): Replica {
  const replica = new Replica({ id, store: work, log: silentLog });
  replicas.push(replica);
  return replica;
}
const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);

/** A store that can be unreachable, as for this replica alone, or lose its responses. */
class Link implements WorkStore {
  state: 'up' | 'away' | 'deaf' = 'up';

  #ask<T>(work: () => T): T {
    if (this.state === 'away') throw new RetryableError('The store is away.');
    const answer = work();
    if (this.state === 'deaf') throw new RetryableError('The answer was lost.');
    return answer;
  }
  beat = (id: string, notices?: readonly string[]) => this.#ask(() => store.beat(id, notices));
  leave = (id: string) => this.#ask(() => store.leave(id));
  hold = (claim: string, id: string) => this.#ask(() => store.hold(claim, id));
  release = (claim: string, id: string) => this.#ask(() => store.release(claim, id));
  plan = (kind: string, names: readonly string[]) => this.#ask(() => store.plan(kind, names));
  takeDue = (kind: string, id: string) => this.#ask(() => store.takeDue(kind, id));
  finish = (...args: Parameters<WorkStore['finish']>) => this.#ask(() => store.finish(...args));
}

/** Begins something under a claim that ends on request. */
function begin(replica: Replica, claim: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { promise: begun, resolve: onBegun } = Promise.withResolvers<Lease>();
  const done = replica.during(claim, async (lease) => {
    onBegun(lease);
    await promise;
    return 'done';
  });
  return { begun, done, end: resolve };
}
const tries = (replica: Replica, claim = 'one') => replica.during(claim, async () => 'done');

describe('a notice', () => {
  it("reaches the other replicas with their next heartbeat, and lasts as long as it's announced", async () => {
    const [one, other] = [replicaOf('one'), replicaOf('other')];
    const heard: string[][] = [];
    other.onNotices((notices) => heard.push([...notices]));
    await one.begin();
    await other.begin();
    one.announce('storm', true);
    await pass(BEAT_SECONDS);
    expect(heard.at(-1)).toEqual(['storm']);
    one.announce('storm', false);
    await pass(BEAT_SECONDS);
    expect(heard.at(-1)).toEqual([]);
    one.announce('storm', true);
    await pass(BEAT_SECONDS);
    expect(heard.at(-1)).toEqual(['storm']);
    await one.stop();
    await pass(BEAT_SECONDS);
    expect(heard.at(-1)).toEqual([]);
  });

  it('is heard even where the heartbeat that was to tell it failed', async () => {
    const link = new Link();
    const [one, other] = [replicaOf('one', link), replicaOf('other')];
    const heard: string[][] = [];
    other.onNotices((notices) => heard.push([...notices]));
    await one.begin();
    await other.begin();
    link.state = 'away';
    one.announce('storm', true);
    await pass(BEAT_SECONDS);
    expect(heard.at(-1)).toEqual([]);
    link.state = 'up';
    await pass(2 * BEAT_SECONDS);
    expect(heard.at(-1)).toEqual(['storm']);
  });
});

describe('a claim', () => {
  it('is exclusive, in this process and others, and free afterwards', async () => {
    const [a, b] = [replicaOf('a'), replicaOf('b')];
    const first = begin(a, 'one');
    await first.begun;
    expect(await tries(a)).toBeUndefined();
    expect(await tries(b)).toBeUndefined();
    expect(await tries(b, 'two')).toBe('done');
    first.end();
    expect(await first.done).toBe('done');
    expect(await tries(b)).toBe('done');
  });

  it('is released if the work under it fails', async () => {
    const [a, b] = [replicaOf('a'), replicaOf('b')];
    const failed = a.during('one', async () => {
      throw new Error('a bug');
    });
    await expect(failed).rejects.toThrow('a bug');
    expect(await tries(b)).toBe('done');
  });

  it('is waited for on request', async () => {
    const [a, b] = [replicaOf('a'), replicaOf('b')];
    const first = begin(a, 'one');
    await first.begun;
    const { signal } = new AbortController();
    const second = b.inTurn('one', signal, async () => 'second');
    expect(await Promise.race([second, new Promise((r) => setTimeout(r, 300))])).toBeUndefined();
    first.end();
    expect(await second).toBe('second');
    const third = begin(a, 'one');
    await third.begun;
    const leaving = AbortSignal.abort();
    await expect(b.inTurn('one', leaving, async () => 'third')).rejects.toThrow(BusyError);
    third.end();
  });

  it('is lost by a replica that was silent, which is told so', async () => {
    const link = new Link();
    const [a, b] = [replicaOf('a', link), replicaOf('b')];
    await a.begin();
    await b.begin();
    await pass(10);
    const first = begin(a, 'one');
    const lease = await first.begun;
    link.state = 'away';
    await pass(5);
    expect(await tries(b)).toBeUndefined();
    await pass(5);
    expect(await tries(b)).toBe('done');
    // It can't know yet, but must not go on without asking.
    expect(lease.signal.aborted).toBe(false);
    await expect(lease.isHeld()).rejects.toThrow(RetryableError);
    link.state = 'up';
    expect(await lease.isHeld()).toBe(false);
    expect(lease.signal.aborted).toBe(true);
    first.end();
    await first.done;
    expect(await tries(a)).toBe('done');
  });

  it('is kept while the store is down for everybody', async () => {
    const [linkA, linkB] = [new Link(), new Link()];
    const [a, b] = [replicaOf('a', linkA), replicaOf('b', linkB)];
    await a.begin();
    await b.begin();
    await pass(10);
    const first = begin(a, 'one');
    const lease = await first.begun;
    linkA.state = 'away';
    linkB.state = 'away';
    await pass(60);
    linkB.state = 'up';
    await pass(3);
    linkA.state = 'up';
    await pass(30);
    expect(await tries(b)).toBeUndefined();
    expect(await lease.isHeld()).toBe(true);
    first.end();
    await first.done;
    expect(await tries(b)).toBe('done');
  });

  it.each(['away', 'deaf'] as const)(
    'is released later if the store is %s at its end',
    async (state) => {
      const link = new Link();
      const [a, b] = [replicaOf('a', link), replicaOf('b')];
      await a.begin();
      const first = begin(a, 'one');
      await first.begun;
      link.state = state;
      first.end();
      expect(await first.done).toBe('done');
      link.state = 'up';
      await pass(3);
      expect(await tries(b)).toBe('done');
    },
  );

  it('is released if the reply was lost', async () => {
    const link = new Link();
    const [a, b] = [replicaOf('a', link), replicaOf('b')];
    await a.begin();
    link.state = 'deaf';
    await expect(tries(a)).rejects.toThrow(RetryableError);
    expect(await tries(b)).toBeUndefined();
    link.state = 'up';
    await pass(3);
    expect(await tries(b)).toBe('done');
  });

  it('stays with another caller in this process that acquired it', async () => {
    const [a, b] = [replicaOf('a'), replicaOf('b')];
    await a.begin();
    store.hold('shard', 'a');
    await pass(10);
    expect(await tries(b, 'shard')).toBeUndefined();
  });
});

describe('work', () => {
  it('is taken over from a dead replica', async () => {
    const link = new Link();
    const [a, b] = [replicaOf('a', link), replicaOf('b')];
    await a.begin();
    await b.begin();
    await a.plan('sweep', ['x']);
    await pass(10);
    expect(await a.takeDue('sweep')).toMatchObject({ name: 'x' });
    link.state = 'away';
    await pass(5);
    expect(await b.takeDue('sweep')).toBeUndefined();
    await pass(5);
    expect(await b.takeDue('sweep')).toMatchObject({ name: 'x' });
  });

  it('is left to others by a replica that is to end, which finishes what it has', async () => {
    const [a, b] = [replicaOf('a'), replicaOf('b')];
    await a.begin();
    await b.begin();
    await a.plan('sweep', ['x', 'y']);
    const mine = await a.takeDue('sweep');
    a.isRetiring = true;
    expect(await a.takeDue('sweep')).toBeUndefined();
    if (mine !== undefined) await a.finish(mine, 0, '');
    expect(await b.takeDue('sweep')).toBeDefined();
    expect(await b.takeDue('sweep')).toBeDefined();
  });

  it('is finished after an outage of the store if it ended during it', async () => {
    const link = new Link();
    const [a, b] = [replicaOf('a', link), replicaOf('b')];
    await a.begin();
    await a.plan('sweep', ['x']);
    const due = await a.takeDue('sweep');
    if (due === undefined) throw new Error('nothing is due');
    link.state = 'away';
    await a.finish(due, 0, 'done');
    expect(await b.takeDue('sweep')).toBeUndefined();
    link.state = 'up';
    await pass(3);
    expect(await b.takeDue('sweep')).toMatchObject({ state: 'done' });
  });

  it('is released unchanged if the reply was lost', async () => {
    const link = new Link();
    const [a, b] = [replicaOf('a', link), replicaOf('b')];
    await a.begin();
    await a.plan('sweep', ['x']);
    link.state = 'deaf';
    await expect(a.takeDue('sweep')).rejects.toThrow(RetryableError);
    link.state = 'up';
    await pass(5);
    expect(await b.takeDue('sweep')).toMatchObject({ name: 'x', state: '' });
  });

  it('is done by one replica each time if all have a timer for it', async () => {
    const all = [replicaOf('a'), replicaOf('b'), replicaOf('c')];
    const done: string[] = [];
    for (let minute = 0; minute < 5; minute++) {
      await Promise.all(
        all.map((each) =>
          runIfDue(each, 'upkeep', 60_000, async () => void done.push(`${minute}`)),
        ),
      );
      await pass(60);
    }
    expect(done).toEqual(['0', '1', '2', '3', '4']);
  });
});

it('Heartbeats that a store refuses are logged once, without a stack', async () => {
  let isRefused = false;
  const refusing: WorkStore = {
    ...new Link(),
    beat(id, notices) {
      if (isRefused) throw new UserError('wrong-configuration', 'The password is wrong.');
      return store.beat(id, notices);
    },
  };
  const log = new TestLog();
  const replica = new Replica({ id: 'a', store: refusing, log });
  replicas.push(replica);
  await replica.begin();
  const errors = () => log.lines.filter(({ level }) => level === 'error');
  for (let outage = 1; outage <= 2; outage += 1) {
    isRefused = true;
    await pass(10 * BEAT_SECONDS);
    expect(errors()).toHaveLength(outage);
    expect(errors().at(-1)?.fields).toEqual({ reason: 'The password is wrong.' });
    isRefused = false;
    await pass(2 * BEAT_SECONDS);
  }
});

it('Work is left to others by a replica that stops, which does nothing more', async () => {
  const [a, b] = [replicaOf('a'), replicaOf('b')];
  await a.begin();
  await b.begin();
  expect(b.live).toBe(2);
  const first = begin(a, 'one');
  const lease = await first.begun;
  await a.plan('sweep', ['x']);
  await a.takeDue('sweep');
  await a.stop();
  expect(lease.signal.aborted).toBe(true);
  expect(await tries(b)).toBe('done');
  expect(await b.takeDue('sweep')).toMatchObject({ name: 'x' });
  expect(await tries(a, 'two')).toBeUndefined();
  expect(await a.takeDue('sweep')).toBeUndefined();
  await pass(3);
  expect(b.live).toBe(1);
  first.end();
});
