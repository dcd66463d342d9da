import { expect, it, onTestFinished, vi } from 'vitest';
import { ScoreHealth } from '#app/scoring/engine';
import { MemoryWork } from '#cluster/memory-work';
import type { WorkHealths } from '#cluster/notices';
import { Replica } from '#cluster/replica';
import { BEAT_SECONDS, DEAD_AFTER_SECONDS } from '#cluster/store';
import { openQuietly } from './support/filled-store.ts';
import { silentLog } from './support/log.ts';

/** A replica with its own standings, among replicas that share work. */
async function replicaAmong(work: MemoryWork, id: string) {
  const store = await openQuietly('sqlite::memory:');
  const source = await store.openSource();
  const replica = new Replica({ id, store: work, log: silentLog });
  const cluster = {
    replica,
    redis: undefined,
    isCutOff: () => false,
    differs: () => [],
    clockFault: () => undefined,
    close: async () => {},
  };
  const unscored = new ScoreHealth({ store, cluster });
  await replica.begin();
  onTestFinished(async () => {
    await replica.stop();
    await store.close();
  });
  const isPartial = () => source.reading().isPartial;
  return { replica, unscored, isPartial, isStale: () => source.reading().isStale };
}

/** Two replicas, and a way to let heartbeats pass. */
async function two() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const work = new MemoryWork(Date.now);
  const one = await replicaAmong(work, 'one');
  const other = await replicaAmong(work, 'other');
  const beat = () => vi.advanceTimersByTimeAsync(BEAT_SECONDS * 1000);
  const stale = async () => {
    await beat();
    return [one.isStale(), other.isStale()];
  };
  return { one, other, beat, stale };
}

const NOTHING: WorkHealths = new Map();
const rulesThat = (health: 'works' | 'fails') => new Map([['rules', health]]);

it('What is unscored is known to all replicas, as long as the one that reports it lives', async () => {
  const { one, other, beat, stale } = await two();
  expect(await stale()).toEqual([false, false]);
  one.unscored.report('rules', rulesThat('fails'));
  one.unscored.report('sources', new Map([['source eth', 'fails']]));
  expect(await stale()).toEqual([true, true]);
  expect(other.unscored.elsewhere('rules')).toBe('fails');
  one.unscored.report('rules', NOTHING);
  expect(await stale()).toEqual([true, true]);
  expect(other.unscored.elsewhere('rules')).toBeUndefined();
  // The rules don't use it any more.
  one.unscored.report('sources', NOTHING);
  expect(await stale()).toEqual([false, false]);

  // That another one stands by for it proves nothing.
  one.unscored.report('rules', rulesThat('fails'));
  other.unscored.report('rules', NOTHING);
  expect(await stale()).toEqual([true, true]);
  await one.replica.stop();
  for (let waited = 0; waited <= 2 * DEAD_AFTER_SECONDS; waited += BEAT_SECONDS) await beat();
  expect(other.isStale()).toBe(false);
});

it('What is unscored is over while the work is done in another replica, and only then', async () => {
  const { one, other, beat, stale } = await two();
  one.unscored.report('rules', rulesThat('fails'));
  other.unscored.report('rules', rulesThat('works'));
  expect(await stale()).toEqual([false, false]);
  expect(one.unscored.elsewhere('rules')).toBe('works');

  const sources = (eth: 'works' | 'fails', algo: 'works' | 'fails') =>
    new Map([
      ['source eth', eth],
      ['source algo', algo],
    ]);
  one.unscored.report('sources', sources('works', 'fails'));
  expect(await stale()).toEqual([true, true]);
  other.unscored.report('sources', sources('fails', 'works'));
  expect(await stale()).toEqual([false, false]);
  // Failing for a moment is nothing to report, but doesn't prove that it works.
  other.unscored.report('sources', new Map([['source eth', 'fails']]));
  expect(await stale()).toEqual([true, true]);
  other.unscored.report('sources', sources('fails', 'works'));
  expect(await stale()).toEqual([false, false]);

  await other.replica.stop();
  for (let waited = 0; waited <= 2 * DEAD_AFTER_SECONDS; waited += BEAT_SECONDS) await beat();
  expect(one.isStale()).toBe(true);
});

it('How work goes elsewhere is unknown once the database has answered no heartbeat for a while', async () => {
  const { one, other, beat } = await two();
  other.unscored.report('rules', rulesThat('works'));
  await beat();
  expect(one.unscored.elsewhere('rules')).toBe('works');
  const later = performance.now() + DEAD_AFTER_SECONDS * 1_000 + 1;
  const clock = vi.spyOn(performance, 'now').mockReturnValue(later);
  onTestFinished(() => clock.mockRestore());
  expect(one.unscored.elsewhere('rules')).toBeUndefined();
  await beat();
  expect(one.unscored.elsewhere('rules')).toBe('works');
});

it('The service says in all replicas that scores are partial while one reads a source far from its end', async () => {
  const { one, other, beat, stale } = await two();
  const partial = async () => {
    await beat();
    return [one.isPartial(), other.isPartial()];
  };
  const reads = new Map([['source eth', 'works'] as const]);
  one.unscored.report('sources', reads, true);
  one.unscored.report('rules', rulesThat('works'));
  expect(await partial()).toEqual([true, true]);
  expect(await stale()).toEqual([false, false]);
  one.unscored.report('sources', reads, false);
  expect(await partial()).toEqual([false, false]);
});
