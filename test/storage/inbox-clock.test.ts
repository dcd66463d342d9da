import { afterEach, expect, it, vi } from 'vitest';
import { openMemoryStore } from '../support/empty-store.ts';

afterEach(() => {
  vi.useRealTimers();
});

it('An inbox in SQLite forgets no delivery that waits, whatever the clock is set to', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const store = await openMemoryStore();
  const { inbox } = store;
  for (const id of ['1', '2']) await inbox.receive({ platform: 'telegram', id, body: '{}' }, 'a');
  await inbox.settle('telegram', '2');
  vi.setSystemTime(Date.now() + 48 * 3_600_000);
  expect(await inbox.takeOver('telegram', 'b', 10)).toMatchObject([{ id: '1' }]);
  // An answered one is forgotten.
  expect(await inbox.receive({ platform: 'telegram', id: '2', body: '{}' }, 'b')).toBe(true);
  await store.close();
});
