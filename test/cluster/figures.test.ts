import { Registry } from 'prom-client';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openCluster } from '#app/data/cluster';
import { MemoryWork } from '#cluster/memory-work';
import { silentLog } from '../support/log.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date', 'performance'] });
});
afterEach(() => void vi.useRealTimers());

it('The figures of a replica say how many are alive, and while its settings differ from theirs', async () => {
  const work = new MemoryWork(Date.now);
  const start = async (TIERS: string) => {
    const registry = new Registry();
    const store = { work, isShared: false };
    const cluster = await openCluster(undefined, store, { TIERS }, registry, silentLog);
    const figure = async (name: string) => {
      const text = await registry.getSingleMetricAsString(name);
      return Number(/ (\d+)$/.exec(text.trim())?.[1]);
    };
    const figures = async () => [
      await figure('fathom_replicas'),
      await figure('fathom_settings_differ'),
    ];
    return { cluster, figures };
  };
  const first = await start('x');
  await vi.advanceTimersByTimeAsync(1_000);
  const odd = await start('y');
  await vi.advanceTimersByTimeAsync(4_000);
  expect([await first.figures(), await odd.figures()]).toEqual([
    [2, 0],
    [2, 1],
  ]);
  await first.cluster.close();
  await vi.advanceTimersByTimeAsync(4_000);
  expect(await odd.figures()).toEqual([1, 0]);
  await odd.cluster.close();
});
