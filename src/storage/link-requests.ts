import { type Account, accountKey, type Profile } from '#command';
import type { LinkRequest, LinkStore, RequestWay } from '#linking';
import { expirePartings } from './role-connections.ts';
import {
  type Dialect,
  firstRow,
  OF_ACCOUNT,
  type Row,
  rows,
  run,
  type SqlRunner,
  type SqlScript,
} from './sql/script.ts';

/** Link requests, until they are settled or expire. */
export function createRequestTable(
  sql: SqlRunner,
): Pick<
  LinkStore,
  'putRequest' | 'findRequest' | 'unfinishedRequests' | 'changeRequest' | 'dropRequest' | 'prune'
> {
  const { dialect } = sql;
  return {
    putRequest: (request) =>
      sql.transact(function* (): SqlScript<void> {
        const { id, version, account, way, ticket, session, createdAt, expiresAt } = request;
        const key = [account.platform, account.id, way];
        // Two concurrent requests must not both find nothing to replace.
        yield* dialect.lockAccount(accountKey(account));
        yield* run(`DELETE FROM link_request WHERE ${OF_ACCOUNT} AND way = $3`, key);
        yield* prune(dialect, createdAt);
        yield* run(
          `INSERT INTO link_request
             (platform, account, way, id, version, ticket, session, created_at, expires_at, body)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
          [...key, id, version, ticket, session, createdAt, expiresAt, bodyText(request)],
        );
      }),
    prune: (now) => sql.transact(() => prune(dialect, now)),
    findRequest: (key, now) =>
      sql.query(function* () {
        const row = yield* find(key, now);
        return row && requestOf(row);
      }),
    unfinishedRequests: (now, limit) =>
      sql.query(function* () {
        const found = yield* rows(
          `SELECT * FROM link_request
           WHERE NOT ${OVER} AND (body LIKE '%"pending":{%' OR body LIKE '%"untold":true%')
           ORDER BY created_at LIMIT $2`,
          [now, limit],
        );
        return found.map(requestOf);
      }),
    changeRequest: (request) =>
      sql.query(function* (): SqlScript<boolean> {
        const { id, version, session, expiresAt } = request;
        const changed = yield* run(
          `UPDATE link_request SET version = version + 1, session = $3, expires_at = $4, body = $5
           WHERE id = $1 AND version = $2`,
          [id, version, session, expiresAt, bodyText(request)],
        );
        return changed > 0;
      }),
    dropRequest: ({ id, version }) =>
      sql.query(function* (): SqlScript<boolean> {
        const text = 'DELETE FROM link_request WHERE id = $1 AND version = $2';
        return (yield* run(text, [id, version])) > 0;
      }),
  };
}

/**
 * Whether a request is over at $1. One from far in the future is from before the clock was set back: its ticket and
 * code would else be good until the clock gets there.
 */
const OVER = '(expires_at <= $1 OR created_at > $1 + 3600)';

function find(
  key: Parameters<LinkStore['findRequest']>[0],
  now: number,
): SqlScript<Row | undefined> {
  const one = (which: string, values: readonly string[]) =>
    firstRow(`SELECT * FROM link_request WHERE NOT ${OVER} AND ${which}`, [now, ...values]);
  if ('ticket' in key) return one('ticket = $2', [key.ticket]);
  if ('session' in key) return one('session = $2', [key.session]);
  const { account, way } = key;
  return one('platform = $2 AND account = $3 AND way = $4', [account.platform, account.id, way]);
}

/**
 * Deletes expired requests, except those that another transaction is deleting: neither waits for
 * the other.
 */
function* prune({ skipLocked }: Dialect, now: number): SqlScript<number> {
  const requests = yield* run(
    `DELETE FROM link_request WHERE id IN
       (SELECT id FROM link_request WHERE ${OVER} ${skipLocked})`,
    [now],
  );
  const holds = yield* run(
    `DELETE FROM link_hold WHERE (platform, address) IN
       (SELECT platform, address FROM link_hold WHERE until <= $1 ${skipLocked})`,
    [now],
  );
  return requests + holds + (yield* expirePartings(skipLocked, now));
}

/** The fields without a column of their own. */
type Body = Omit<LinkRequest, keyof Columns | 'account'> &
  Pick<Profile, 'name' | 'username' | 'avatar'>;
type Columns = Pick<
  LinkRequest,
  'id' | 'version' | 'way' | 'createdAt' | 'expiresAt' | 'ticket' | 'session'
>;

function bodyText(request: LinkRequest): string {
  const { id, version, account, way, createdAt, expiresAt, ticket, session, ...fields } = request;
  const { name, username, avatar } = account;
  const body: Body = { name, username, avatar, ...fields };
  return JSON.stringify(body);
}

function requestOf(row: Row): LinkRequest {
  const { name, username, avatar, ...fields } = JSON.parse(String(row.body)) as Body;
  const platform = String(row.platform) as Account['platform'];
  return {
    id: String(row.id),
    version: Number(row.version),
    account: { platform, id: String(row.account), name, username, avatar },
    way: String(row.way) as RequestWay,
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
    ticket: row.ticket === null ? undefined : String(row.ticket),
    session: row.session === null ? undefined : String(row.session),
    ...fields,
  };
}
