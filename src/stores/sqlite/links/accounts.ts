import type { DatabaseSync } from 'node:sqlite';
import { type Account, accountKey } from '#core/links/account';
import type { PrivacyChoice } from '#core/links/records';
import type { LinkStore } from '#core/links/store';
import {
  choiceOf as choiceOfRow,
  claimOf,
  eventOf,
  holdOf,
  linkOf,
  requestNoteOf,
} from '#stores/links/rows';
import { transaction } from '#stores/sqlite/database';
import { explained } from '#stores/sqlite/errors';
import { createGateAccountTables } from '#stores/sqlite/gating/accounts';
import { createConnectionAccountTable } from '#stores/sqlite/linked-roles/accounts';

/** Everything about one account: what it chose, all that is kept of it, and how that is erased. */
export function createAccountTables(
  db: DatabaseSync,
  file: string,
): Pick<LinkStore, 'choiceOf' | 'setChoice' | 'recordOf' | 'erase'> {
  const its = 'platform = ? AND account = ?';
  const sql = {
    choice: db.prepare(`SELECT * FROM link_choice WHERE ${its}`),
    choose: db.prepare('INSERT OR REPLACE INTO link_choice VALUES (?, ?, ?, ?)'),
    note: db.prepare(
      `INSERT INTO link_event (at, platform, account, event) VALUES (?, ?, ?, 'privacy')`,
    ),
    // Indexes are named where SQLite, which has no statistics, goes through the whole platform.
    links: db.prepare(
      `SELECT * FROM link INDEXED BY link_account WHERE ${its} ORDER BY linked_at, address`,
    ),
    claims: db.prepare(
      `SELECT * FROM link_claim INDEXED BY link_claim_account WHERE ${its} ORDER BY due_at, address`,
    ),
    holds: db.prepare(
      `SELECT * FROM link_hold INDEXED BY link_hold_keeper
       WHERE platform = ? AND keeper = ? ORDER BY until`,
    ),
    requests: db.prepare(`SELECT way, created_at FROM link_request WHERE ${its} ORDER BY way`),
    events: db.prepare(`SELECT * FROM link_event WHERE ${its} ORDER BY seq`),
  };
  const erasing = [
    ...[
      'link INDEXED BY link_account',
      'link_claim INDEXED BY link_claim_account',
      'link_request',
      'link_choice',
      'link_event',
    ].map((table) => db.prepare(`DELETE FROM ${table} WHERE ${its}`)),
    db.prepare(
      `UPDATE link_hold INDEXED BY link_hold_keeper SET keeper = NULL
       WHERE platform = ? AND keeper = ?`,
    ),
  ];
  const hold = db.prepare(
    `INSERT OR REPLACE INTO link_hold
     SELECT platform, address, chain, NULL, ? FROM link INDEXED BY link_account WHERE ${its}`,
  );
  const gating = createGateAccountTables(db);
  const connection = createConnectionAccountTable(db);
  const eraseKeys = db.prepare('DELETE FROM api_key WHERE owner = ?');

  function choiceOf({ platform, id }: Account): PrivacyChoice | undefined {
    const row = sql.choice.get(platform, id);
    return row && choiceOfRow(row);
  }

  return {
    choiceOf: (account) => explained(file, () => choiceOf(account)),
    setChoice({ platform, id }, { privacy, communities }, now) {
      explained(file, () =>
        transaction(db, () => {
          sql.choose.run(platform, id, privacy, JSON.stringify(communities));
          sql.note.run(now, platform, id);
        }),
      );
    },
    recordOf(account) {
      const { platform, id } = account;
      return explained(file, () => ({
        links: sql.links.all(platform, id).map(linkOf),
        claims: sql.claims.all(platform, id).map(claimOf),
        holds: sql.holds.all(platform, id).map(holdOf),
        choice: choiceOf(account),
        requests: sql.requests.all(platform, id).map(requestNoteOf),
        events: sql.events.all(platform, id).map(eventOf),
        ...gating.recordOf(account),
        ...connection.recordOf(account),
      }));
    },
    erase(account, holdUntil) {
      const { platform, id } = account;
      explained(file, () =>
        transaction(db, () => {
          hold.run(holdUntil, platform, id);
          for (const statement of erasing) statement.run(platform, id);
          gating.erase(account);
          connection.erase(account);
          eraseKeys.run(accountKey(account));
        }),
      );
    },
  };
}
