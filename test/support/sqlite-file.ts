import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach } from 'vitest';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openStore } from '#storage';
import type { Store } from '#storage/store';
import type { StoreUnderTest } from '../storage/contract.ts';
import { makeStoreFile } from './empty-store.ts';
import { silentLog } from './log.ts';

/** Each test's own place for a SQLite store. */
export interface SqliteFile {
  /** It doesn't exist until something is written there. */
  readonly path: string;
  open(): Promise<Store>;
  /** Runs SQL on the file, as another program does. */
  run(sql: string): void;
  /** For the contracts of stores. */
  readonly underTest: StoreUnderTest;
}

/** Call it once per file. */
export function useSqliteFile(): SqliteFile {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'fathom-test-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const file = {
    get path() {
      return join(folder, 'fathom.db');
    },
    open: () =>
      openStore(`sqlite:${file.path}`, { thresholds: DEFAULT_THRESHOLDS, log: silentLog }),
    run(sql: string): void {
      using db = new DatabaseSync(file.path);
      db.exec(sql);
    },
  };
  const underTest: StoreUnderTest = {
    open() {
      makeStoreFile(file.path);
      return file.open();
    },
    again: file.open,
    run: async (sql) => file.run(sql),
    clean: async () => undefined,
  };
  return Object.assign(file, { underTest });
}
