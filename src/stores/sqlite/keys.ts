import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { UserError } from '#core/errors';
import type { ApiKey, KeyStore } from '#core/ports';
import { transaction } from './database.ts';
import { explained } from './errors.ts';

/** API keys in the store's own table, by their hash. */
export function createKeyStore(db: DatabaseSync, file: string): KeyStore {
  const sql = {
    byHash: db.prepare('SELECT * FROM api_key WHERE hash = ? AND revoked_at IS NULL'),
    byId: db.prepare('SELECT * FROM api_key WHERE id = ?'),
    live: db.prepare('SELECT count(*) AS n FROM api_key WHERE owner = ? AND revoked_at IS NULL'),
    add: db.prepare(
      'INSERT INTO api_key (id, hash, label, owner, created_at) VALUES (?, ?, ?, ?, ?) RETURNING *',
    ),
    all: db.prepare('SELECT * FROM api_key ORDER BY number'),
    ofOwner: db.prepare('SELECT * FROM api_key WHERE owner = ? ORDER BY number'),
    revoke: db.prepare('UPDATE api_key SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL'),
  };
  const now = () => Math.floor(Date.now() / 1000);

  return {
    findByHash(hash) {
      const row = explained(file, () => sql.byHash.get(hash));
      return row === undefined ? undefined : keyOf(row);
    },
    add({ label, owner, hash }, liveLimit) {
      return explained(file, () =>
        transaction(db, () => {
          if (Number(sql.live.get(owner)?.n) >= liveLimit) {
            throw new UserError(
              'key-limit',
              `You have ${liveLimit} live keys already, which is the most. Revoke one first.`,
            );
          }
          const id = randomBytes(5).toString('hex');
          return keyOf(sql.add.get(id, hash, label, owner, now()) as Record<string, unknown>);
        }),
      );
    },
    list(owner) {
      const rows = explained(file, () =>
        owner === undefined ? sql.all.all() : sql.ofOwner.all(owner),
      );
      return rows.map(keyOf);
    },
    revoke(id, owner) {
      explained(file, () =>
        transaction(db, () => {
          const row = sql.byId.get(id);
          const found = row !== undefined && (owner === undefined || row.owner === owner);
          if (!found) throw new UserError('key-not-found', `There is no key with the id ${id}.`);
          sql.revoke.run(now(), id);
        }),
      );
    },
  };
}

function keyOf(row: Record<string, unknown>): ApiKey {
  return {
    id: String(row.id),
    label: String(row.label),
    owner: String(row.owner),
    createdAt: Number(row.created_at),
    revokedAt: row.revoked_at === null ? undefined : Number(row.revoked_at),
  };
}
