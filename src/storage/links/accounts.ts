import { type Account, accountKey } from '#command';
import type { AccountRecord, LinkStore, PrivacyChoice } from '#linking';
import { eraseFromGating, gateRecordOf } from '#storage/gating/accounts';
import { connectionOfAccount, eraseConnection } from '#storage/linked-roles/accounts';
import {
  type Dialect,
  firstRow,
  rows,
  run,
  type SqlRunner,
  type SqlScript,
} from '#storage/sql/script';
import {
  choiceOf as choiceOfRow,
  claimOf,
  eventOf,
  holdOf,
  linkOf,
  requestNoteOf,
} from './rows.ts';

const ITS = 'platform = $1 AND account = $2';

/** Everything about one account: its settings, all data kept about it, and its erasure. */
export function createAccountTables(
  sql: SqlRunner,
): Pick<LinkStore, 'choiceOf' | 'setChoice' | 'recordOf' | 'erase'> {
  const { dialect } = sql;
  return {
    choiceOf: (account) => sql.query(() => choiceOf(account)),
    setChoice: (account, { privacy, communities }, now) =>
      sql.transact(function* (): SqlScript<void> {
        const { platform, id } = account;
        yield* dialect.lockAccount(accountKey(account));
        yield* run(
          `INSERT INTO link_choice (platform, account, privacy, communities)
           VALUES ($1, $2, $3, $4)
           ON CONFLICT (platform, account) DO UPDATE SET
             privacy = excluded.privacy, communities = excluded.communities`,
          [platform, id, privacy, JSON.stringify(communities)],
        );
        yield* run(
          `INSERT INTO link_event (platform, account, at, event) VALUES ($1, $2, $3, 'privacy')`,
          [platform, id, now],
        );
      }),
    recordOf: (account) => sql.snapshot(() => recordOf(dialect, account)),
    erase: (account, holdUntil) => sql.transact(() => erase(dialect, account, holdUntil)),
  };
}

/** The tables that hold an account's own rows, with the index that SQLite should use. */
function tablesOf({ indexedBy }: Dialect) {
  return {
    link: `link ${indexedBy('link_account')}`,
    claim: `link_claim ${indexedBy('link_claim_account')}`,
    hold: `link_hold ${indexedBy('link_hold_keeper')}`,
  };
}

function* choiceOf({ platform, id }: Account): SqlScript<PrivacyChoice | undefined> {
  const row = yield* firstRow(`SELECT * FROM link_choice WHERE ${ITS}`, [platform, id]);
  return row && choiceOfRow(row);
}

function* recordOf(dialect: Dialect, account: Account): SqlScript<AccountRecord> {
  const { link, claim, hold } = tablesOf(dialect);
  const its = [account.platform, account.id];
  const all = (table: string, order: string) =>
    rows(`SELECT * FROM ${table} WHERE ${ITS} ORDER BY ${order}`, its);
  return {
    links: (yield* all(link, 'linked_at, address')).map(linkOf),
    claims: (yield* all(claim, 'due_at, address')).map(claimOf),
    holds: (yield* rows(
      `SELECT * FROM ${hold} WHERE platform = $1 AND keeper = $2 ORDER BY until, address`,
      its,
    )).map(holdOf),
    choice: yield* choiceOf(account),
    requests: (yield* all('link_request', 'way')).map(requestNoteOf),
    events: (yield* all('link_event', 'seq')).map(eventOf),
    ...(yield* gateRecordOf(dialect, account)),
    ...(yield* connectionOfAccount(account)),
  };
}

function* erase(dialect: Dialect, account: Account, holdUntil: number): SqlScript<void> {
  const { link, claim, hold } = tablesOf(dialect);
  const its = [account.platform, account.id];
  yield* dialect.lockAccount(accountKey(account));
  // A transaction that takes over one of its wallets also notifies the account: that must not
  // happen later.
  const wallets = yield* rows(
    `SELECT address FROM ${link} WHERE ${ITS} UNION SELECT address FROM ${claim} WHERE ${ITS}
     UNION SELECT address FROM ${hold} WHERE platform = $1 AND keeper = $2`,
    its,
  );
  const addresses = wallets.map(({ address }) => String(address));
  yield* dialect.lockWallets(account.platform, addresses);
  yield* run(
    `INSERT INTO link_hold (platform, address, chain, keeper, until)
     SELECT platform, address, chain, NULL, CAST($3 AS bigint) FROM ${link} WHERE ${ITS}
     ON CONFLICT (platform, address) DO UPDATE SET
       chain = excluded.chain, keeper = NULL, until = excluded.until`,
    [...its, holdUntil],
  );
  yield* run(`UPDATE ${hold} SET keeper = NULL WHERE platform = $1 AND keeper = $2`, its);
  for (const table of [link, claim, 'link_request', 'link_choice', 'link_event']) {
    yield* run(`DELETE FROM ${table} WHERE ${ITS}`, its);
  }
  yield* eraseFromGating(dialect, account);
  yield* eraseConnection(account);
  yield* run('DELETE FROM api_key WHERE owner = $1', [accountKey(account)]);
}
