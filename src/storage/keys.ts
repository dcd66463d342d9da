import { randomBytes } from 'node:crypto';
import { type ApiKey, type KeyStore, UserError, wallSeconds } from '#base';
import { firstRow, type Row, rows, run, type SqlRunner, type SqlScript } from './sql/script.ts';

/** API keys in a table of the store, by hash. */
export function createKeyStore(sql: SqlRunner): KeyStore {
  return {
    findByHash: (hash) =>
      sql.query(function* () {
        const text = 'SELECT * FROM api_key WHERE hash = $1 AND revoked_at IS NULL';
        const row = yield* firstRow(text, [hash]);
        return row && keyOf(row);
      }),
    add: ({ label, owner, hash }, liveLimit) =>
      sql.transact(function* () {
        yield* sql.dialect.lockAccount(owner);
        const live = yield* firstRow(
          'SELECT count(*) AS n FROM api_key WHERE owner = $1 AND revoked_at IS NULL',
          [owner],
        );
        if (Number(live?.n) >= liveLimit) throw tooManyKeys(liveLimit);
        const row = yield* firstRow(
          `INSERT INTO api_key (id, hash, label, owner, created_at)
           VALUES ($1, $2, $3, $4, $5) RETURNING *`,
          [randomBytes(5).toString('hex'), hash, label, owner, wallSeconds()],
        );
        return keyOf(row ?? {});
      }),
    list: (owner) =>
      sql.query(function* () {
        const found = yield* owner === undefined
          ? rows('SELECT * FROM api_key ORDER BY number')
          : rows('SELECT * FROM api_key WHERE owner = $1 ORDER BY number', [owner]);
        return found.map(keyOf);
      }),
    revoke: (id, owner) =>
      sql.query(function* (): SqlScript<void> {
        const found = yield* run(
          `UPDATE api_key SET revoked_at = coalesce(revoked_at, $2)
           WHERE id = $1 AND owner = coalesce($3, owner)`,
          [id, wallSeconds(), owner],
        );
        if (found === 0) {
          throw new UserError('key-not-found', `There is no key with the id ${id}.`);
        }
      }),
  };
}

function keyOf(row: Row): ApiKey {
  return {
    id: String(row.id),
    label: String(row.label),
    owner: String(row.owner),
    createdAt: Number(row.created_at),
    revokedAt: row.revoked_at === null ? undefined : Number(row.revoked_at),
  };
}

function tooManyKeys(liveLimit: number): UserError {
  return new UserError(
    'key-limit',
    `You already have ${liveLimit} active keys, the maximum. Revoke one first.`,
  );
}
