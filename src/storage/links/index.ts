import type { LinkStore } from '#linking';
import type { SqlRunner } from '#storage/sql/script';
import { createAccountTables } from './accounts.ts';
import { createLinkTables } from './links.ts';
import { createRequestTable } from './requests.ts';

/** Linked wallets, in their own tables. */
export function createLinkStore(sql: SqlRunner): LinkStore {
  return {
    ...createRequestTable(sql),
    ...createLinkTables(sql),
    ...createAccountTables(sql),
  };
}
