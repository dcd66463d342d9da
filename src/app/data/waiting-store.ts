import { ProblemLog, withRetry } from '#base';
import { sleep } from '#base/waiting';
import { openStore, type Store, type StoreOptions } from '#storage';

/** How long an unavailable database is waited for: an orchestrator may start both at once. */
const WAIT_MS = 60_000;

/**
 * Opens the store; waits for an unavailable database.
 * @throws UserError `wrong-configuration`, RetryableError if the database stays unavailable
 */
export async function openStoreWaiting(url: string, options: StoreOptions): Promise<Store> {
  const trouble = new ProblemLog(options.log);
  return withRetry(() => openStore(url, options), {
    deadlineMs: WAIT_MS,
    monotonicMs: () => performance.now(),
    sleep,
    onWait({ message }) {
      const sentence = `waiting up to ${WAIT_MS / 1000} s for the database`;
      trouble.report('away', 'warn', { reason: message }, sentence);
    },
  });
}
