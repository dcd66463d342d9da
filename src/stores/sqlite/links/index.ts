import type { DatabaseSync } from 'node:sqlite';
import type { LinkStore } from '#core/links/store';
import { createAccountTables } from './accounts.ts';
import { createLinkTables } from './links.ts';
import { createRequestTable } from './requests.ts';

/** Linked wallets in tables of their own. */
export function createLinkStore(db: DatabaseSync, file: string): LinkStore {
  return {
    ...createRequestTable(db, file),
    ...createLinkTables(db, file),
    ...createAccountTables(db, file),
  };
}
