import { Registry } from 'prom-client';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { watchOpenFiles } from '#app/process';
import { silentLog } from './support/log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('The log says for how long no connection could be opened, once one can', async () => {
  const registry = new Registry();
  let code: string | undefined = 'EMFILE';
  const end = watchOpenFiles(silentLog, registry, () => code);
  const figures = async () =>
    Promise.all(
      ['fathom_files_exhausted', 'fathom_files_exhausted_seconds_total'].map(
        async (name) => (await registry.getSingleMetric(name)?.get())?.values[0]?.value,
      ),
    );
  vi.advanceTimersByTime(7_000);
  expect(await figures()).toEqual([1, 7]);
  code = undefined;
  vi.advanceTimersByTime(60_000);
  expect(await figures()).toEqual([0, 7]);
  end();
});
