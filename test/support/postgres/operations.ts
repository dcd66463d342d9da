import { createGateStore } from '#storage/gating/index';
import { type Database, openDatabase, type PoolOptions } from '#storage/postgres/database';
import { createCachedKeyStore, createLinkStoreBesideKeys } from '#storage/postgres/keys';
import { migrate } from '#storage/postgres/migrate';
import { createPostgresRunner } from '#storage/postgres/runner';
import { createConnectionStore } from '#storage/role-connections';
import type { Store } from '#storage/store';
import { silentLog } from '../log.ts';

/** What one replica does in the database, except for the ledger and its read model. */
export interface Operations extends Pick<Store, 'keys' | 'links' | 'gating' | 'connections'> {
  readonly db: Database;
}

/** For tests that aren't about deadlines: the test, or Postgres, may have to wait for the CPU. */
export const PATIENT: PoolOptions = { connectMs: 30_000, answerMs: 30_000 };

export const IN_EARNEST: PoolOptions = {};

export function openOperations(url: string, patience = PATIENT): Operations {
  const db = openDatabase(url, silentLog, patience);
  const sql = createPostgresRunner(db);
  const keys = createCachedKeyStore(sql, patience.answerMs);
  return {
    db,
    keys,
    links: createLinkStoreBesideKeys(sql, keys),
    gating: createGateStore(sql),
    connections: createConnectionStore(sql),
  };
}

/** Creates all tables in an empty database. */
export async function makeTables(url: string): Promise<void> {
  await migrate(url, silentLog);
}
