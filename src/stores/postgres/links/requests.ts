import { accountKey } from '#core/links/account';
import type { LinkStore } from '#core/links/store';
import { bodyText, requestOf } from '#stores/links/requests';
import { retried } from '#stores/postgres/conflicts';
import type { Database, Queries } from '#stores/postgres/database';
import { lockAccount } from '#stores/postgres/locks';

/** Linkings that are under way, until they are over. */
export function createRequestTable(
  db: Database,
): Pick<LinkStore, 'putRequest' | 'findRequest' | 'changeRequest' | 'dropRequest'> {
  return {
    putRequest: (request) =>
      retried(() =>
        db.transaction(async (queries) => {
          const { id, version, account, way, ticket, session, createdAt, expiresAt } = request;
          const its = [account.platform, account.id, way];
          // Two at once must not both find nothing to replace.
          await lockAccount(queries, accountKey(account));
          await queries.run(
            'DELETE FROM link_request WHERE platform = $1 AND account = $2 AND way = $3',
            its,
          );
          await prune(queries, createdAt);
          await queries.run(
            `INSERT INTO link_request
               (platform, account, way, id, version, ticket, session, created_at, expires_at, body)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
            [...its, id, version, ticket, session, createdAt, expiresAt, bodyText(request)],
          );
        }),
      ),
    async findRequest(key, now) {
      const [row] = await rowsOf(key, now);
      return row && requestOf(row);
    },
    async changeRequest(request) {
      const { id, version, session, expiresAt } = request;
      const changed = await db.run(
        `UPDATE link_request SET version = version + 1, session = $3, expires_at = $4, body = $5
         WHERE id = $1 AND version = $2`,
        [id, version, session, expiresAt, bodyText(request)],
      );
      return changed > 0;
    },
    async dropRequest({ id, version }) {
      const sql = 'DELETE FROM link_request WHERE id = $1 AND version = $2';
      return (await db.run(sql, [id, version])) > 0;
    },
  };

  function rowsOf(key: Parameters<LinkStore['findRequest']>[0], now: number) {
    const find = (which: string, values: readonly string[]) =>
      db.rows(`SELECT * FROM link_request WHERE expires_at > $1 AND ${which}`, [now, ...values]);
    if ('ticket' in key) return find('ticket = $2', [key.ticket]);
    if ('session' in key) return find('session = $2', [key.session]);
    const { account, way } = key;
    return find('platform = $2 AND account = $3 AND way = $4', [account.platform, account.id, way]);
  }
}

/** Leaves to others what they are at: nobody waits for this, and it waits for nobody. */
async function prune(db: Queries, now: number): Promise<void> {
  await db.run(
    `DELETE FROM link_request WHERE id IN
       (SELECT id FROM link_request WHERE expires_at <= $1 FOR UPDATE SKIP LOCKED)`,
    [now],
  );
  await db.run(
    `DELETE FROM link_hold WHERE (platform, address) IN
       (SELECT platform, address FROM link_hold WHERE until <= $1 FOR UPDATE SKIP LOCKED)`,
    [now],
  );
}
