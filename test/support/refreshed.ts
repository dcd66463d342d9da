import { vi } from 'vitest';
import type { Store } from '#storage/store';
import { patienceMs } from './patience.ts';

/** Brings a store's read model up to date, however long its database takes to answer. */
export async function refreshed(store: Store): Promise<void> {
  await vi.waitFor(() => store.refresh(), { timeout: patienceMs() });
}
