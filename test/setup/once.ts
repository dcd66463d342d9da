import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { joinedProgram } from './program.ts';

/** Runs before all tests, in the process that starts the workers: sets up what they share. */
export default async function setUp({ name }: TestProject): Promise<(() => void) | undefined> {
  // Units start nothing, and what runs every day starts the program as it is shipped.
  if (name !== 'unit' && name !== 'everyday')
    process.env.FATHOM_TEST_PROGRAM ??= await joinedProgram();
  // It's called once a project, and they share too.
  if (process.env.FATHOM_TEST_FOLDER !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'fathom-tests-'));
  // Postgres mustn't run as root, so another account needs access.
  chmodSync(folder, 0o777);
  process.env.FATHOM_TEST_FOLDER = folder;
  return () => {
    delete process.env.FATHOM_TEST_FOLDER;
    delete process.env.FATHOM_TEST_PROGRAM;
    rmSync(folder, { recursive: true, force: true });
  };
}
