import type { Account } from '#core/links/account';
import type { AccountRecord } from '#core/links/records';
import { connectionRecordOf } from '#stores/linked-roles/rows';
import type { Queries } from '#stores/postgres/database';

/** The connection of one account; part of a transaction of others. */
export async function connectionOfAccount(
  db: Queries,
  { platform, id }: Account,
): Promise<Pick<AccountRecord, 'connection'>> {
  if (platform !== 'discord') return connectionRecordOf(undefined);
  const sql = 'SELECT connected_at, shown FROM role_connection WHERE account = $1';
  const [row] = await db.rows(sql, [id]);
  return connectionRecordOf(row);
}

export async function eraseConnection(db: Queries, { platform, id }: Account): Promise<void> {
  if (platform !== 'discord') return;
  await db.run('DELETE FROM role_connection WHERE account = $1', [id]);
}
