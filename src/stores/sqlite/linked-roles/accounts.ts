import type { DatabaseSync } from 'node:sqlite';
import type { Shown } from '#core/linked-roles/store';
import type { Account } from '#core/links/account';
import type { AccountRecord } from '#core/links/records';

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
      const row = platform === 'discord' ? sql.find.get(id) : undefined;
      if (row === undefined) return { connection: undefined };
      const shown =
        row.shown === null ? undefined : (JSON.parse(String(row.shown)) as Shown | undefined);
      return { connection: { connectedAt: Number(row.connected_at), shown } };
    },
    erase({ platform, id }) {
      if (platform === 'discord') sql.erase.run(id);
    },
  };
}
