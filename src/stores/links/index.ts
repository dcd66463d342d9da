import type { LinkStore } from '#core/links/store';
import type { SqlRunner } from '#stores/sql/script';
import { createAccountTables } from './accounts.ts';
import { createLinkTables } from './links.ts';
import { createRequestTable } from './requests.ts';

/** Linked wallets in tables of their own. */
export function createLinkStore(sql: SqlRunner): LinkStore {
  return {
    ...createRequestTable(sql),
    ...createLinkTables(sql),
    ...createAccountTables(sql),
  };
}
