import type { Account } from '#command';
import { type ConnectionRecord, ROLE_CONNECTIONS_ON } from '#platforms/role-connections';
import { firstRow, run, type SqlScript } from '#storage/sql/script';
import { connectionRecordOf } from './rows.ts';

/** One account's connection; part of other scripts. */
export function* connectionOfAccount({
  platform,
  id,
}: Account): SqlScript<{ readonly connection: ConnectionRecord | undefined }> {
  if (platform !== ROLE_CONNECTIONS_ON) return connectionRecordOf(undefined);
  const sql = 'SELECT connected_at, shown FROM role_connection WHERE account = $1';
  return connectionRecordOf(yield* firstRow(sql, [id]));
}

/** Part of other transactions. */
export function* eraseConnection({ platform, id }: Account): SqlScript<void> {
  if (platform !== ROLE_CONNECTIONS_ON) return;
  yield* run('DELETE FROM role_connection WHERE account = $1', [id]);
}
