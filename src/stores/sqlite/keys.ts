import type { DatabaseSync } from 'node:sqlite';
import { wallSeconds } from '#core/clock';
import type { KeyStore } from '#core/ports';
import { keyLimit, keyNotFound, keyOf, newKeyId } from '#stores/keys';
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
  const now = wallSeconds;

  return {
    findByHash(hash) {
      const row = explained(file, () => sql.byHash.get(hash));
      return row === undefined ? undefined : keyOf(row);
    },
    add({ label, owner, hash }, liveLimit) {
      return explained(file, () =>
        transaction(db, () => {
          if (Number(sql.live.get(owner)?.n) >= liveLimit) throw keyLimit(liveLimit);
          const row = sql.add.get(newKeyId(), hash, label, owner, now());
          return keyOf(row as Record<string, unknown>);
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
          if (!found) throw keyNotFound(id);
          sql.revoke.run(now(), id);
        }),
      );
    },
  };
}
