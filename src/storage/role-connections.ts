import type { Account } from '#command';
import {
  type ConnectionRecord,
  type Parting,
  type PendingDrop,
  ROLE_CONNECTIONS_ON,
  type RoleConnection,
  type RoleConnectionStore,
  type RoleMetadata,
} from '#platforms/role-connections';
import { firstRow, type Row, rows, run, type SqlRunner, type SqlScript } from './sql/script.ts';

/** Members connected for Linked Roles, and what we sent Discord. */
export function createConnectionStore(sql: SqlRunner): RoleConnectionStore {
  const hasChanged = (text: string, values: readonly unknown[]) =>
    sql.query(function* (): SqlScript<boolean> {
      return (yield* run(text, values)) > 0;
    });
  const change = (text: string, values: readonly unknown[]) =>
    sql.query(function* (): SqlScript<void> {
      yield* run(text, values);
    });

  return {
    find: (account) =>
      sql.query(function* () {
        const row = yield* firstRow('SELECT * FROM role_connection WHERE account = $1', [account]);
        return row && roleConnectionOf(row);
      }),
    // When a member reconnects, keep what was shown before.
    connect: (account, tokens, now) =>
      sql.query(function* (): SqlScript<void> {
        // To end the former authorization would end this one.
        yield* run('DELETE FROM role_parting WHERE account = $1', [account]);
        yield* run(
          `INSERT INTO role_connection (account, tokens, version, connected_at, checked_at, told)
         VALUES ($1, $2, 1, $3, 0, 0)
         ON CONFLICT (account) DO UPDATE SET tokens = excluded.tokens,
           version = role_connection.version + 1, connected_at = excluded.connected_at,
           checked_at = 0, told = 0`,
          [account, tokens, now],
        );
      }),
    replaceTokens: (account, version, tokens) =>
      hasChanged(
        `UPDATE role_connection SET tokens = $3, version = version + 1
         WHERE account = $1 AND version = $2`,
        [account, version, tokens],
      ),
    note: (account, { shown, isAccepted, fall, checkedAt }) =>
      change(
        `UPDATE role_connection SET shown = $2, told = $3, fall = $4, checked_at = $5
         WHERE account = $1`,
        [account, json(shown), isAccepted ? 1 : 0, json(fall), checkedAt],
      ),
    due: (checkedBy, latest, limit) =>
      sql.query(function* () {
        const found = yield* rows(
          `SELECT * FROM role_connection WHERE checked_at <= $1 OR checked_at > $2
           ORDER BY checked_at, account LIMIT $3`,
          [checkedBy, latest, limit],
        );
        return found.map(roleConnectionOf);
      }),
    drop: (account, version) =>
      hasChanged('DELETE FROM role_connection WHERE account = $1 AND version = $2', [
        account,
        version,
      ]),
    parting: (account) =>
      sql.query(function* () {
        const row = yield* firstRow('SELECT * FROM role_parting WHERE account = $1', [account]);
        return row && partingOf(row);
      }),
    partings: (triedBy, limit) =>
      sql.query(function* () {
        const found = yield* rows(
          'SELECT * FROM role_parting WHERE tried_at <= $1 ORDER BY tried_at, account LIMIT $2',
          [triedBy, limit],
        );
        return found.map(partingOf);
      }),
    keepParting: ({ account, tokens, version }, now) =>
      change(
        `UPDATE role_parting SET tokens = $3, tried_at = $4 WHERE account = $1 AND version = $2`,
        [account, version, tokens, now],
      ),
    parted: ({ account, version }) =>
      change('DELETE FROM role_parting WHERE account = $1 AND version = $2', [account, version]),
  };
}

/** One account's connection; part of other scripts. */
export function* connectionOfAccount({
  platform,
  id,
}: Account): SqlScript<{ readonly connection: ConnectionRecord | undefined }> {
  if (platform !== ROLE_CONNECTIONS_ON) return connectionRecordOf(undefined);
  const sql = 'SELECT connected_at, shown FROM role_connection WHERE account = $1';
  return connectionRecordOf(yield* firstRow(sql, [id]));
}

/**
 * Part of other transactions. What Discord has is left for it to delete.
 * @param until how long the tokens are kept for that, in seconds since 1970
 */
export function* eraseConnection({ platform, id }: Account, until: number): SqlScript<void> {
  if (platform !== ROLE_CONNECTIONS_ON) return;
  yield* run(
    `INSERT INTO role_parting (account, tokens, version, ends_at, tried_at)
     SELECT account, tokens, version, CAST($2 AS bigint), 0 FROM role_connection WHERE account = $1
     ON CONFLICT (account) DO UPDATE SET tokens = excluded.tokens,
       version = excluded.version, ends_at = excluded.ends_at, tried_at = 0`,
    [id, until],
  );
  yield* run('DELETE FROM role_connection WHERE account = $1', [id]);
}

/** Part of other transactions: gives up those that Discord hasn't answered in time. */
export function* expirePartings(skipLocked: string, now: number): SqlScript<number> {
  return yield* run(
    `DELETE FROM role_parting WHERE account IN
       (SELECT account FROM role_parting WHERE ends_at <= $1 ${skipLocked})`,
    [now],
  );
}

function partingOf(row: Row): Parting {
  return {
    account: String(row.account),
    tokens: new Uint8Array(row.tokens as Uint8Array),
    version: Number(row.version),
  };
}

/** The value of the columns `shown` and `fall`. */
function json(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

function parsed<T>(text: unknown): T | undefined {
  return text === null ? undefined : (JSON.parse(String(text)) as T);
}

function roleConnectionOf(row: Row): RoleConnection {
  return {
    account: String(row.account),
    // Some drivers return a Buffer.
    tokens: new Uint8Array(row.tokens as Uint8Array),
    version: Number(row.version),
    connectedAt: Number(row.connected_at),
    checkedAt: Number(row.checked_at),
    isAccepted: row.told === 1,
    shown: parsed<RoleMetadata>(row.shown),
    fall: parsed<PendingDrop>(row.fall),
  };
}

/** @param row the account's, if there is one */
function connectionRecordOf(row: Row | undefined): {
  readonly connection: ConnectionRecord | undefined;
} {
  if (row === undefined) return { connection: undefined };
  const connectedAt = Number(row.connected_at);
  return { connection: { connectedAt, shown: parsed<RoleMetadata>(row.shown) } };
}
