import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Before all tests, in the process that starts those of the tests: what these share. */
export default function setUp(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'fathom-tests-'));
  // Postgres, which must not run as root, reads it as another account.
  chmodSync(folder, 0o777);
  process.env.FATHOM_TEST_FOLDER = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
