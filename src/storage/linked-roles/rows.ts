import type {
  ConnectionRecord,
  PendingDrop,
  RoleConnection,
  RoleMetadata,
} from '#platforms/role-connections';
import type { Row } from '#storage/sql/script';

/** The value of the columns `shown` and `fall`. */
export function json(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

function parsed<T>(text: unknown): T | undefined {
  return text === null ? undefined : (JSON.parse(String(text)) as T);
}

export function roleConnectionOf(row: Row): RoleConnection {
  return {
    account: String(row.account),
    // Some drivers return a Buffer.
    tokens: new Uint8Array(row.tokens as Uint8Array),
    version: Number(row.version),
    connectedAt: Number(row.connected_at),
    checkedAt: Number(row.checked_at),
    isTold: row.told === 1,
    shown: parsed<RoleMetadata>(row.shown),
    fall: parsed<PendingDrop>(row.fall),
  };
}

/** @param row the account's, if there is one */
export function connectionRecordOf(row: Row | undefined): {
  readonly connection: ConnectionRecord | undefined;
} {
  if (row === undefined) return { connection: undefined };
  const connectedAt = Number(row.connected_at);
  return { connection: { connectedAt, shown: parsed<RoleMetadata>(row.shown) } };
}
