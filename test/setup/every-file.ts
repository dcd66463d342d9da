import fc from 'fast-check';
import { vi } from 'vitest';
import { SEED } from '../support/random.ts';
import { testMs, waitMs } from '../support/test-time.ts';

/** Runs before every test file; files share a process, so each must set what another may have changed. */
fc.configureGlobal({ seed: SEED });

const timeout = testMs();
vi.setConfig({
  testTimeout: timeout,
  hookTimeout: timeout,
  expect: { poll: { timeout: waitMs() } },
});
