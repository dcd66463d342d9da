import type { DatabaseSync } from 'node:sqlite';
import type { Grant } from '#core/gating/grant';
import type { Community } from '#core/gating/rule';
import type { GateStore } from '#core/gating/store';
import { GRANT_COLUMNS, grantOf } from '#stores/gating/rows';
import { rowsOf } from '#stores/sqlite/arrays';
import { transaction } from '#stores/sqlite/database';
import { translatingErrors } from '#stores/sqlite/errors';

/** What is remembered about members per rule. */
export function createGrantTable(
  db: DatabaseSync,
  file: string,
): Pick<GateStore, 'grantsOf' | 'putGrants' | 'holdersAfter'> {
  const write = createGrantWriter(db);
  const sql = {
    // CROSS JOIN forces SQLite to start with the list, whatever length it assumes.
    some: db.prepare(
      `SELECT ${GRANT_COLUMNS} FROM json_each(?) AS asked CROSS JOIN gate_grant
       ON platform = ? AND account = asked.value AND community = ?`,
    ),
    holders: db.prepare(
      `SELECT DISTINCT account FROM gate_grant INDEXED BY gate_grant_rule
       WHERE platform = ? AND community = ? AND rule IN (SELECT value FROM json_each(?))
         AND holds IN ('ours', 'theirs') AND account > ? ORDER BY account LIMIT ?`,
    ),
  };
  return {
    grantsOf({ platform, id }, accounts) {
      const asked = JSON.stringify(accounts);
      const rows = translatingErrors(file, () => rowsOf(sql.some, asked, platform, id));
      return rows.map(grantOf);
    },
    putGrants(community, grants) {
      translatingErrors(file, () => transaction(db, () => write(community, grants)));
    },
    holdersAfter({ platform, id }, rules, after, limit) {
      const asked = JSON.stringify(rules);
      const rows = translatingErrors(file, () =>
        sql.holders.all(platform, id, asked, after, limit),
      );
      return rows.map(({ account }) => String(account));
    },
  };
}

/** @returns a function that writes grants within a transaction, except those of deleted rules */
export function createGrantWriter(
  db: DatabaseSync,
): (community: Community, grants: readonly Grant[]) => void {
  const rules = db.prepare('SELECT id FROM gate_rule WHERE platform = ? AND community = ?');
  const put = db.prepare(
    `INSERT OR REPLACE INTO gate_grant
       (platform, community, ${GRANT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );

  return ({ platform, id }, grants) => {
    // A later rule may get the same id, and must start without grants.
    const live = new Set(rules.all(platform, id).map((row) => row.id));
    for (const grant of grants) {
      if (!live.has(grant.rule)) continue;
      put.run(
        platform,
        id,
        grant.rule,
        grant.account,
        grant.holds,
        grant.lacks,
        grant.firstLackAt ?? null,
        grant.lastLackAt ?? null,
        grant.warnedAt ?? null,
        grant.dueAt ?? null,
        grant.joinedAt ?? null,
      );
    }
  };
}
