import { expect, it, onTestFinished, vi } from 'vitest';
import { Unscored } from '#app/unscored';
import { MemoryWork } from '#core/work/memory-work';
import { Replica } from '#core/work/replica';
import { BEAT_SECONDS, DEAD_AFTER_SECONDS } from '#core/work/store';
import { openQuietly } from './support/filled-store.ts';
import { silentLog } from './support/log.ts';

/** A replica with its own standings, among replicas that share work. */
async function replicaAmong(work: MemoryWork, id: string) {
  const store = await openQuietly('sqlite::memory:');
  const source = await store.openSource();
  const replica = new Replica({ id, store: work, log: silentLog });
  const sharing = { replica, redis: undefined, isCutOff: () => false, close: async () => {} };
  const unscored = new Unscored({ store, sharing });
  await replica.begin();
  onTestFinished(async () => {
    await replica.stop();
    await store.close();
  });
  return { replica, unscored, isStale: () => source.reading().isStale };
}

it('is known to all replicas, as long as the one that reports it lives', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const work = new MemoryWork(Date.now);
  const one = await replicaAmong(work, 'one');
  const other = await replicaAmong(work, 'other');
  const beat = () => vi.advanceTimersByTimeAsync(BEAT_SECONDS * 1000);
  const stale = () => [one.isStale(), other.isStale()];
  expect(stale()).toEqual([false, false]);

  one.unscored.mark('rules', true);
  one.unscored.mark('sources', true);
  await beat();
  expect(stale()).toEqual([true, true]);
  expect(other.unscored.isHeard('rules')).toBe(true);
  one.unscored.mark('rules', false);
  await beat();
  expect(stale()).toEqual([true, true]);
  expect(other.unscored.isHeard('rules')).toBe(false);
  one.unscored.mark('sources', false);
  await beat();
  expect(stale()).toEqual([false, false]);

  // One replica's problem isn't over because another one is fine.
  one.unscored.mark('rules', true);
  other.unscored.mark('rules', false);
  await beat();
  expect(stale()).toEqual([true, true]);
  await one.replica.stop();
  for (let waited = 0; waited <= 2 * DEAD_AFTER_SECONDS; waited += BEAT_SECONDS) await beat();
  expect(other.isStale()).toBe(false);
});
