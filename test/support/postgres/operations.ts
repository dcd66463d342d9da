import type { Store } from '#core/ports';
import { type Database, openDatabase } from '#stores/postgres/database';
import { createGateStore } from '#stores/postgres/gating/index';
import { createKeyStore } from '#stores/postgres/keys';
import { createConnectionStore } from '#stores/postgres/linked-roles/connections';
import { createLinkStore } from '#stores/postgres/links/index';
import { migrate } from '#stores/postgres/migrate';
import { silentLog } from '../log.ts';

/** What one replica does in the database, without the ledger and its read model. */
export interface Operations extends Pick<Store, 'keys' | 'links' | 'gating' | 'connections'> {
  readonly db: Database;
}

export function openOperations(url: string): Operations {
  const db = openDatabase(url, silentLog);
  const keys = createKeyStore(db);
  return {
    db,
    keys,
    links: createLinkStore(db, keys),
    gating: createGateStore(db),
    connections: createConnectionStore(db),
  };
}

/** Makes all tables in a database that is empty. */
export async function makeTables(url: string): Promise<void> {
  await migrate(url, silentLog);
}
