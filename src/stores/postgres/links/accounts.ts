import { type Account, accountKey } from '#core/links/account';
import type { AccountRecord, PrivacyChoice } from '#core/links/records';
import type { LinkStore } from '#core/links/store';
import {
  choiceOf as choiceOfRow,
  claimOf,
  eventOf,
  holdOf,
  linkOf,
  requestNoteOf,
} from '#stores/links/rows';
import { retried } from '#stores/postgres/conflicts';
import type { Database, Queries } from '#stores/postgres/database';
import { eraseFromGating, gateRecordOf } from '#stores/postgres/gating/accounts';
import type { CachedKeyStore } from '#stores/postgres/keys';
import { connectionOfAccount, eraseConnection } from '#stores/postgres/linked-roles/accounts';
import { lockAccount, lockWallets } from '#stores/postgres/locks';

const ITS = 'platform = $1 AND account = $2';

/** Everything about one account: what it chose, all that is kept of it, and how that is erased. */
export function createAccountTables(
  db: Database,
  keys: Pick<CachedKeyStore, 'forgetOwner'>,
): Pick<LinkStore, 'choiceOf' | 'setChoice' | 'recordOf' | 'erase'> {
  return {
    choiceOf: (account) => choiceOf(db, account),
    setChoice: (account, { privacy, communities }, now) =>
      retried(() =>
        db.transaction(async (queries) => {
          const { platform, id } = account;
          await lockAccount(queries, accountKey(account));
          await queries.run(
            `INSERT INTO link_choice (platform, account, privacy, communities)
             VALUES ($1, $2, $3, $4)
             ON CONFLICT (platform, account) DO UPDATE SET
               privacy = excluded.privacy, communities = excluded.communities`,
            [platform, id, privacy, JSON.stringify(communities)],
          );
          await queries.run(
            `INSERT INTO link_event (platform, account, at, event) VALUES ($1, $2, $3, 'privacy')`,
            [platform, id, now],
          );
        }),
      ),
    recordOf: (account) =>
      db.transaction(async (queries) => {
        // All of it as it was at one moment.
        await queries.run('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
        return await recordOf(queries, account);
      }),
    async erase(account, holdUntil) {
      try {
        await retried(() => db.transaction((queries) => erase(queries, account, holdUntil)));
      } finally {
        // Even of one that failed it can't be known whether it came to pass.
        keys.forgetOwner(accountKey(account));
      }
    },
  };
}

async function choiceOf(
  db: Queries,
  { platform, id }: Account,
): Promise<PrivacyChoice | undefined> {
  const [row] = await db.rows(`SELECT * FROM link_choice WHERE ${ITS}`, [platform, id]);
  return row && choiceOfRow(row);
}

async function recordOf(db: Queries, account: Account): Promise<AccountRecord> {
  const all = (table: string, order: string) =>
    db.rows(`SELECT * FROM ${table} WHERE ${ITS} ORDER BY ${order}`, [
      account.platform,
      account.id,
    ]);
  const holds = await db.rows(
    'SELECT * FROM link_hold WHERE platform = $1 AND keeper = $2 ORDER BY until, address',
    [account.platform, account.id],
  );
  return {
    links: (await all('link', 'linked_at, address')).map(linkOf),
    claims: (await all('link_claim', 'due_at, address')).map(claimOf),
    holds: holds.map(holdOf),
    choice: await choiceOf(db, account),
    requests: (await all('link_request', 'way')).map(requestNoteOf),
    events: (await all('link_event', 'seq')).map(eventOf),
    ...(await gateRecordOf(db, account)),
    ...(await connectionOfAccount(db, account)),
  };
}

async function erase(db: Queries, account: Account, holdUntil: number): Promise<void> {
  const its = [account.platform, account.id];
  await lockAccount(db, accountKey(account));
  // Whoever is about to take one of its wallets over tells the account so: that must not come later.
  const wallets = await db.rows(
    `SELECT address FROM link WHERE ${ITS} UNION SELECT address FROM link_claim WHERE ${ITS}
     UNION SELECT address FROM link_hold WHERE platform = $1 AND keeper = $2`,
    its,
  );
  const addresses = wallets.map(({ address }) => String(address));
  await lockWallets(db, account.platform, addresses);
  await db.run(
    `WITH gone AS (DELETE FROM link WHERE ${ITS} RETURNING platform, address, chain)
     INSERT INTO link_hold (platform, address, chain, keeper, until)
     SELECT platform, address, chain, NULL, $3::bigint FROM gone
     ON CONFLICT (platform, address) DO UPDATE SET
       chain = excluded.chain, keeper = NULL, until = excluded.until`,
    [...its, holdUntil],
  );
  await db.run('UPDATE link_hold SET keeper = NULL WHERE platform = $1 AND keeper = $2', its);
  for (const table of ['link_claim', 'link_request', 'link_choice', 'link_event']) {
    await db.run(`DELETE FROM ${table} WHERE ${ITS}`, its);
  }
  await eraseFromGating(db, account);
  await eraseConnection(db, account);
  await db.run('DELETE FROM api_key WHERE owner = $1', [accountKey(account)]);
}
