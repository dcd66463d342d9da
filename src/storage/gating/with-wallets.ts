import type { KnownMember } from '#gating';
import { arrays, type Dialect, type SqlScript } from '#storage/sql/script';
import { membersOf } from './rows.ts';

/**
 * Some accounts of a community, each with its wallets. Rows are arrays, because whole communities
 * are read.
 * @param known SQL that selects `account` and `protected`; $1 is the platform
 */
export function* withWallets(
  dialect: Dialect,
  known: string,
  values: readonly unknown[],
): SqlScript<KnownMember[]> {
  const found = yield* arrays(
    `SELECT known.account, known.protected, link.chain, link.address
     FROM (${known}) AS known
     LEFT JOIN link ${dialect.indexedBy('link_account')}
       ON link.platform = $1 AND link.account = known.account
     ORDER BY known.account, link.linked_at, link.address`,
    values,
  );
  return membersOf(found);
}
