import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Agreement, differing, settingsIn, settingsNotice } from '#cluster/agreement';
import { MemoryWork } from '#cluster/memory-work';
import { Replica } from '#cluster/replica';
import { silentLog } from '../support/log.ts';

const stated = (replica: string, since: number, TIERS: string, more = {}) => ({
  ...{ replica, since },
  settings: { TIERS, ...more },
});

describe('the settings in which a replica differs', () => {
  it.each([
    ['from most', stated('c', 1, 'x'), [stated('a', 2, 'y'), stated('b', 3, 'y')], ['TIERS']],
    ['none, with most', stated('c', 9, 'y'), [stated('a', 2, 'y'), stated('b', 3, 'x')], []],
    ['from the older one of two', stated('b', 9, 'x'), [stated('a', 2, 'y')], ['TIERS']],
    ['none, as the older one of two', stated('a', 2, 'y'), [stated('b', 9, 'x')], []],
    ['by id where both are as old', stated('b', 2, 'x'), [stated('a', 2, 'y')], ['TIERS']],
    ['none alone', stated('a', 2, 'y'), [], []],
    ['none that others do not know', stated('b', 9, 'y', { NEW: '1' }), [stated('a', 1, 'y')], []],
  ])('%s', (_, own, others, names) => {
    expect(differing(own, others)).toEqual(names);
  });

  it('are told in a notice, and what is none is passed over', () => {
    const one = stated('a', 1, 'x');
    const notices = [settingsNotice(one), 'works: rules', 'settings: {', 'settings: 7'];
    expect(settingsIn(notices)).toEqual([one]);
  });
});

describe('a replica that differs', () => {
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
  const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);

  async function start(id: string, since: number, tiers: string) {
    const error = vi.fn();
    const replica = new Replica({ id, store, log: silentLog });
    replicas.push(replica);
    const agreement = new Agreement(replica, stated(id, since, tiers), { ...silentLog, error });
    await replica.begin();
    return { replica, agreement, error, tries: () => replica.during('gate', async () => 'done') };
  }

  it('takes no work, says so once, and takes part again once all are the same', async () => {
    const first = await start('a', 1, 'x');
    const odd = await start('b', 2, 'y');
    await pass(20);
    expect(odd.agreement.differs).toEqual(['TIERS']);
    expect(first.agreement.differs).toEqual([]);
    expect(odd.error).toHaveBeenCalledTimes(1);
    expect(first.error).not.toHaveBeenCalled();
    expect(await odd.tries()).toBeUndefined();
    await odd.replica.plan('sweep', ['home']);
    expect(await odd.replica.takeDue('sweep')).toBeUndefined();
    expect(await first.tries()).toBe('done');
    expect(await first.replica.takeDue('sweep')).toMatchObject({ name: 'home' });
    await first.replica.stop();
    await pass(4);
    expect(odd.agreement.differs).toEqual([]);
    expect(await odd.tries()).toBe('done');
  });

  it('ends what it has under way when most have other settings', async () => {
    const old = await start('a', 1, 'x');
    const ended = Promise.withResolvers<void>();
    const working = old.replica.during('gate', async ({ signal }) => {
      signal.addEventListener('abort', () => ended.resolve());
      await ended.promise;
    });
    await pass(2);
    const second = await start('b', 2, 'y');
    await start('c', 3, 'y');
    await pass(4);
    await working;
    expect(old.agreement.differs).toEqual(['TIERS']);
    expect(second.agreement.differs).toEqual([]);
    expect(await second.tries()).toBe('done');
  });
});
