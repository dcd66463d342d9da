import type { DatabaseSync } from 'node:sqlite';
import type { LinkStore } from '#core/links/store';
import { bodyText, requestOf } from '#stores/links/requests';
import { transaction } from '#stores/sqlite/database';
import { explained } from '#stores/sqlite/errors';

/** Linkings that are under way, until they are over. */
export function createRequestTable(
  db: DatabaseSync,
  file: string,
): Pick<LinkStore, 'putRequest' | 'findRequest' | 'changeRequest' | 'dropRequest'> {
  const sql = {
    prune: db.prepare('DELETE FROM link_request WHERE expires_at <= ?'),
    pruneHolds: db.prepare('DELETE FROM link_hold WHERE until <= ?'),
    replace: db.prepare('DELETE FROM link_request WHERE platform = ? AND account = ? AND way = ?'),
    insert: db.prepare(
      `INSERT INTO link_request
         (id, version, platform, account, way, ticket, session, created_at, expires_at, body)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    byTicket: db.prepare('SELECT * FROM link_request WHERE ticket = ? AND expires_at > ?'),
    bySession: db.prepare('SELECT * FROM link_request WHERE session = ? AND expires_at > ?'),
    byAccount: db.prepare(
      'SELECT * FROM link_request WHERE platform = ? AND account = ? AND way = ? AND expires_at > ?',
    ),
    change: db.prepare(
      `UPDATE link_request SET version = version + 1, session = ?, expires_at = ?, body = ?
       WHERE id = ? AND version = ?`,
    ),
    drop: db.prepare('DELETE FROM link_request WHERE id = ? AND version = ?'),
  };

  return {
    putRequest(request) {
      const { id, version, account, way, ticket, session, createdAt, expiresAt } = request;
      explained(file, () =>
        transaction(db, () => {
          sql.prune.run(createdAt);
          sql.pruneHolds.run(createdAt);
          sql.replace.run(account.platform, account.id, way);
          sql.insert.run(
            id,
            version,
            account.platform,
            account.id,
            way,
            ticket ?? null,
            session ?? null,
            createdAt,
            expiresAt,
            bodyText(request),
          );
        }),
      );
    },
    findRequest(key, now) {
      const row = explained(file, () => {
        if ('ticket' in key) return sql.byTicket.get(key.ticket, now);
        if ('session' in key) return sql.bySession.get(key.session, now);
        return sql.byAccount.get(key.account.platform, key.account.id, key.way, now);
      });
      return row === undefined ? undefined : requestOf(row);
    },
    changeRequest(request) {
      const { id, version, session, expiresAt } = request;
      const { changes } = explained(file, () =>
        sql.change.run(session ?? null, expiresAt, bodyText(request), id, version),
      );
      return Number(changes) > 0;
    },
    dropRequest({ id, version }) {
      return Number(explained(file, () => sql.drop.run(id, version)).changes) > 0;
    },
  };
}
