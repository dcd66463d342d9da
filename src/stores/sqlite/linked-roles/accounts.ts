import type { DatabaseSync } from 'node:sqlite';
import type { Account } from '#core/links/account';
import type { AccountRecord } from '#core/links/records';
import { connectionRecordOf } from '#stores/linked-roles/rows';

/** The connection of one account, and how it is erased; part of a transaction of others. */
export function createConnectionAccountTable(db: DatabaseSync): {
  recordOf(account: Account): Pick<AccountRecord, 'connection'>;
  erase(account: Account): void;
} {
  const sql = {
    find: db.prepare('SELECT connected_at, shown FROM role_connection WHERE account = ?'),
    erase: db.prepare('DELETE FROM role_connection WHERE account = ?'),
  };

  return {
    recordOf({ platform, id }) {
      return connectionRecordOf(platform === 'discord' ? sql.find.get(id) : undefined);
    },
    erase({ platform, id }) {
      if (platform === 'discord') sql.erase.run(id);
    },
  };
}
