import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MemoryWork } from '#cluster/memory-work';
import {
  type AgreedSettings,
  Agreement,
  differing,
  type ProgramVersion,
  type StatedSettings,
  settingsIn,
  settingsNotice,
} from '#cluster/notices';
import { Replica } from '#cluster/replica';
import { PROGRAM_VERSION } from '#storage/tables/migrations';
import { silentLog } from '../support/log.ts';

const stated = (
  replica: string,
  since: number,
  TIERS: string,
  more = {},
  version?: ProgramVersion,
): StatedSettings => ({
  ...{ replica, since },
  settings: { TIERS, ...more },
  ...(version && { version }),
});

describe('the settings in which a replica differs', () => {
  it.each([
    ['from most', stated('c', 1, 'x'), [stated('a', 2, 'y'), stated('b', 3, 'y')], ['TIERS']],
    ['none, with most', stated('c', 9, 'y'), [stated('a', 2, 'y'), stated('b', 3, 'x')], []],
    ['from the older one of two', stated('b', 9, 'x'), [stated('a', 2, 'y')], ['TIERS']],
    ['none, as the older one of two', stated('a', 2, 'y'), [stated('b', 9, 'x')], []],
    ['by id where both are as old', stated('b', 2, 'x'), [stated('a', 2, 'y')], ['TIERS']],
    ['none alone', stated('a', 2, 'y'), [], []],
    [
      'as too old, even for one',
      stated('a', 1, 'y', {}, { knows: 28, worksFrom: 25 }),
      [stated('b', 2, 'y'), stated('c', 3, 'y', {}, { knows: 30, worksFrom: 29 })],
      ['version'],
    ],
    [
      'none, as new enough for one that is newer',
      stated('a', 1, 'y', {}, { knows: 29, worksFrom: 28 }),
      [stated('b', 2, 'y', {}, { knows: 30, worksFrom: 29 })],
      [],
    ],
    ['none that others do not know', stated('b', 9, 'y', { NEW: '1' }), [stated('a', 1, 'y')], []],
  ])('%s', (_, own, others, names) => {
    expect(differing(own, others)).toEqual(names);
  });

  it('leave some that take part, and those have the same settings', () => {
    for (let values = 0; values < 2 ** 9; values += 1) {
      const all = [0, 1, 2].map((number) => {
        const [TIERS = '', CHANGES = '', LIMIT = ''] = [0, 1, 2].map((setting) =>
          String((values >> (3 * number + setting)) & 1),
        );
        return stated(`r${number}`, number, TIERS, { CHANGES, LIMIT });
      });
      const taking = all.filter((own) => {
        const others = all.filter((each) => each !== own);
        return differing(own, others).length === 0;
      });
      const settings = new Set(taking.map((each) => JSON.stringify(each.settings)));
      expect(settings.size, JSON.stringify(all)).toBe(1);
    }
  });

  it('are told in a notice, and what is none is passed over', () => {
    const one = stated('a', 1, 'x');
    const two = stated('b', 2, 'x', {}, PROGRAM_VERSION);
    const told = [one, two].map(settingsNotice);
    expect(settingsIn([...told, 'works: rules', 'settings: {', 'settings: 7'])).toEqual([one, two]);
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

  async function start(
    id: string,
    tiers: string,
    version?: ProgramVersion,
    found?: () => AgreedSettings,
  ) {
    const error = vi.fn();
    const replica = new Replica({ id, store, log: silentLog });
    replicas.push(replica);
    const { settings } = stated(id, 0, tiers);
    const agreement = new Agreement(
      replica,
      { replica: id, settings, version },
      {
        ...silentLog,
        error,
      },
      found,
    );
    await replica.begin();
    return { replica, agreement, error, tries: () => replica.during('gate', async () => 'done') };
  }

  it('takes no work, says so once, and takes part again once all are the same', async () => {
    const first = await start('a', 'x');
    const odd = await start('b', 'y');
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

  it('is the one that started later by the clock of the store, whatever its own says', async () => {
    store = new MemoryWork(() => performance.now());
    const first = await start('b', 'x');
    await vi.advanceTimersByTimeAsync(10_000);
    vi.setSystemTime(Date.now() - 3_600_000);
    const odd = await start('a', 'y');
    await pass(4);
    expect(first.agreement.differs).toEqual([]);
    expect(odd.agreement.differs).toEqual(['TIERS']);
  });

  it('takes no work once another has tables that it is too old for', async () => {
    const old = await start('a', 'x', { knows: 28, worksFrom: 25 });
    expect(await old.tries()).toBe('done');
    const upgraded = await start('b', 'x', { knows: 29, worksFrom: 29 });
    await pass(4);
    expect(old.agreement.differs).toEqual(['version']);
    expect(await old.tries()).toBeUndefined();
    expect(upgraded.agreement.differs).toEqual([]);
    expect(await upgraded.tries()).toBe('done');
  });

  it('takes no work once it finds out that it reaches another server than the rest', async () => {
    const servers: AgreedSettings[] = [{}, {}];
    const [first, odd] = [
      await start('a', 'x', undefined, () => servers[0] ?? {}),
      await start('b', 'x', undefined, () => servers[1] ?? {}),
    ];
    servers[0] = { REDIS_URL: 'one' };
    await pass(4);
    expect([first.agreement.differs, odd.agreement.differs]).toEqual([[], []]);
    servers[1] = { REDIS_URL: 'other' };
    await pass(4);
    expect([first.agreement.differs, odd.agreement.differs]).toEqual([[], ['REDIS_URL']]);
    expect(await odd.tries()).toBeUndefined();
    servers[1] = { REDIS_URL: 'one' };
    await pass(4);
    expect(odd.agreement.differs).toEqual([]);
    expect(await odd.tries()).toBe('done');
    expect(first.error).not.toHaveBeenCalled();
  });

  it('ends what it has under way when most have other settings', async () => {
    const old = await start('a', 'x');
    const ended = Promise.withResolvers<void>();
    const working = old.replica.during('gate', async ({ signal }) => {
      signal.addEventListener('abort', () => ended.resolve());
      await ended.promise;
    });
    await pass(2);
    const second = await start('b', 'y');
    await start('c', 'y');
    await pass(4);
    await working;
    expect(old.agreement.differs).toEqual(['TIERS']);
    expect(second.agreement.differs).toEqual([]);
    expect(await second.tries()).toBe('done');
  });
});
