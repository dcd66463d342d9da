import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Outage, type ReadinessParts, readiness } from '#app/readiness';
import type { ScoringRunner } from '#app/scoring/engine';
import { RetryableError } from '#base/errors';
import { ProblemLog } from '#base/log';
import type { SourceStatus } from '#sources';
import type { DiskFault, Store } from '#storage/store';
import { silentLog } from './support/log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const SOURCE: SourceStatus = {
  ...{
    id: 'eth',
    chain: 'eip155:1',
    state: 'waiting',
    position: undefined,
    end: undefined,
    words: undefined,
  },
  ...{
    pace: undefined,
    remainingSeconds: undefined,
    leftOut: 0,
    refused: 0,
    unbegun: 0,
    nodes: [],
  },
};

/** A replica whose database can go away. */
function scene(isShared = true, sources: readonly SourceStatus[] = []) {
  const state = {
    ...{ isAway: false, isCutOff: false, lagSeconds: 0 },
    diskFault: undefined as DiskFault | undefined,
  };
  const store = {
    isShared,
    async check() {
      if (state.isAway) throw new RetryableError('away');
    },
    figures: () => {
      const { lagSeconds, diskFault, isAway } = state;
      // As a SQLite file's that is gone.
      if (isAway) throw new RetryableError('away');
      return { lagSeconds, isStuck: false, diskFault };
    },
  } as Partial<Store> as Store;
  const parts: ReadinessParts = {
    ...{ store, upstream: undefined, chats: undefined, redis: undefined },
    ...{ scoring: { state: () => ({ sources }) } as unknown as ScoringRunner, webhooks: undefined },
    ...{ isCutOff: () => state.isCutOff, differs: () => [], clockFault: () => undefined },
    ...{ trouble: new ProblemLog(silentLog), outage: new Outage() },
  };
  const look = async () => {
    const { ready, checks } = await readiness(parts);
    return [ready, checks.data?.ok, checks.data?.detail];
  };
  const asked = () => readiness(parts);
  return { state, look, asked, checks: async () => (await asked()).checks };
}

const BEHIND = 'stale: 62 s behind the store';

describe('A replica', () => {
  it('is ready while it takes in what all missed, but not for longer', async () => {
    const { state, look } = scene();
    state.isAway = true;
    expect(await look()).toEqual([true, false, "can't read the data; see the log"]);
    Object.assign(state, { isAway: false, lagSeconds: 62 });
    vi.advanceTimersByTime(2_000);
    expect(await look()).toEqual([true, false, BEHIND]);
    vi.advanceTimersByTime(20_000);
    expect(await look()).toEqual([false, false, BEHIND]);
    state.lagSeconds = 0;
    expect(await look()).toEqual([true, true, 'up to date']);
  });

  it('is not ready while it is behind, if others never lost the database', async () => {
    const { state, look } = scene();
    state.isCutOff = true;
    expect((await look())[0]).toBe(false);
    Object.assign(state, { isCutOff: false, lagSeconds: 62 });
    expect(await look()).toEqual([false, false, BEHIND]);
  });

  it('is not ready without its own database, as no other replica has one', async () => {
    const { state, look } = scene(false);
    state.isAway = true;
    expect((await look())[0]).toBe(false);
    Object.assign(state, { isAway: false, lagSeconds: 62 });
    expect(await look()).toEqual([false, false, BEHIND]);
  });

  it('names a disk that takes no writes, and is not ready on one that fails', async () => {
    const { state, asked } = scene(false);
    expect((await asked()).checks).not.toHaveProperty('disk');
    state.diskFault = { is: 'full', isFailing: false };
    const onFull = await asked();
    expect([onFull.ready, onFull.checks.disk?.ok, onFull.checks.data?.ok]).toEqual([
      ...[true, false, true],
    ]);
    expect(onFull.checks.disk?.detail).toContain('full');
    state.diskFault = { is: 'read-only', isFailing: true };
    const onFailing = await asked();
    expect([onFailing.ready, onFailing.checks.disk?.ok]).toEqual([false, false]);
    expect(onFailing.checks.disk?.detail).toContain('read-only');
    state.isAway = true;
    expect((await asked()).checks.data?.detail).toBe("can't read the data; see the log");
  });

  it('says that rules of a source can’t begin yet, be it read or not', async () => {
    const detailOf = async (of: Partial<SourceStatus>) => {
      const { sources } = await scene(true, [{ ...SOURCE, ...of }]).checks();
      return sources?.detail ?? '';
    };
    for (const state of ['following', 'waiting'] as const) {
      const without = await detailOf({ state });
      const begin = `eth ${state}, with rules that can't begin yet`;
      expect(await detailOf({ state, unbegun: 1 })).toBe(without.replace(`eth ${state}`, begin));
    }
  });

  it('says how far a source is read, and never that it is at a block before the first', async () => {
    const end = { height: 210, hash: null, time: 0 };
    const detailAt = async (height: number) => {
      const position = { height, hash: null, time: 0 };
      const { sources } = await scene(true, [{ ...SOURCE, position, end }]).checks();
      return sources?.detail;
    };
    expect(await detailAt(0)).toContain(' at 0 of 210');
    const unread = await detailAt(-1);
    expect(unread).toContain('210');
    expect(unread).not.toContain('-1');
  });
});
