import fc from 'fast-check';
import { expect, vi } from 'vitest';
import { SLOW_FILES, SLOW_TEST_TIMEOUT, TEST_TIMEOUT } from './slow-files.ts';
import { patienceMs } from './support/patience.ts';
import { SEED } from './support/random.ts';

/** Runs before every test file; files share a process, so each must set what another may have changed. */
fc.configureGlobal({ seed: SEED });

const { testPath = '' } = expect.getState();
const isSlow = SLOW_FILES.some((file) => testPath.endsWith(`/${file}`));
const timeout = patienceMs(isSlow ? SLOW_TEST_TIMEOUT : TEST_TIMEOUT);
// A wait ends before its test does, so that one that never ends says what for.
const poll = { timeout: (timeout * 5) / 6 };
vi.setConfig({ testTimeout: timeout, hookTimeout: timeout, expect: { poll } });
