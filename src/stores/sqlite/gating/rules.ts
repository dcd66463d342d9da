import type { DatabaseSync } from 'node:sqlite';
import { CHAINS } from '#core/chain';
import type { Rule } from '#core/gating/rule';
import type { GateStore } from '#core/gating/store';
import { communityOf, ruleOf, settingsOf } from '#stores/gating/rows';
import { transaction } from '#stores/sqlite/database';
import { explained } from '#stores/sqlite/errors';

/** What moderators have set up. */
export function createRuleTables(
  db: DatabaseSync,
  file: string,
): Pick<
  GateStore,
  'communities' | 'rulesOf' | 'putRule' | 'pauseRule' | 'removeRule' | 'settingsOf' | 'putSettings'
> {
  const its = 'platform = ?1 AND community = ?2';
  const putSetting = (column: 'log_channel' | 'memory') =>
    db.prepare(
      `INSERT INTO gate_settings (platform, community, ${column}) VALUES (?, ?, ?)
       ON CONFLICT (platform, community) DO UPDATE SET ${column} = excluded.${column}`,
    );
  const sql = {
    communities: db.prepare(
      'SELECT DISTINCT platform, community FROM gate_rule ORDER BY platform, community',
    ),
    rules: db.prepare(`SELECT * FROM gate_rule WHERE ${its} ORDER BY created_at, id`),
    put: db.prepare(
      `INSERT OR REPLACE INTO gate_rule
         (platform, community, id, grant_id, grant_name, requirements, matching, chain, exclusive,
          grace_seconds, paused, created_by, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    pause: db.prepare(`UPDATE gate_rule SET paused = ?3 WHERE ${its} AND id = ?4`),
    settings: db.prepare(`SELECT * FROM gate_settings WHERE ${its}`),
    putLogChannel: putSetting('log_channel'),
    putMemory: putSetting('memory'),
  };
  const removing = [
    db.prepare(`DELETE FROM gate_rule WHERE ${its} AND id = ?3`),
    // Without the name SQLite goes through all grants of the platform.
    db.prepare(`DELETE FROM gate_grant INDEXED BY gate_grant_rule WHERE ${its} AND rule = ?3`),
    db.prepare(`DELETE FROM gate_change WHERE ${its} AND rule = ?3 AND status = 'planned'`),
  ];

  function putRule(rule: Rule): void {
    sql.put.run(
      rule.community.platform,
      rule.community.id,
      rule.id,
      rule.grant,
      rule.grantName,
      JSON.stringify(rule.requirements),
      rule.match,
      rule.chain === undefined ? null : CHAINS.indexOf(rule.chain),
      Number(rule.exclusive),
      rule.graceSeconds,
      rule.paused ?? null,
      rule.createdBy,
      rule.createdAt,
    );
  }

  return {
    communities: () => explained(file, () => sql.communities.all()).map(communityOf),
    rulesOf: ({ platform, id }) => explained(file, () => sql.rules.all(platform, id)).map(ruleOf),
    putRule(rule) {
      explained(file, () => putRule(rule));
    },
    pauseRule({ platform, id }, rule, paused) {
      explained(file, () => sql.pause.run(platform, id, paused ?? null, rule));
    },
    removeRule({ community, id }) {
      explained(file, () =>
        transaction(db, () => {
          for (const statement of removing) statement.run(community.platform, community.id, id);
        }),
      );
    },
    settingsOf: ({ platform, id }) =>
      settingsOf(explained(file, () => sql.settings.get(platform, id))),
    putSettings({ platform, id }, changes) {
      const { logChannel, memory } = changes;
      const text = memory === undefined ? null : JSON.stringify(memory);
      explained(file, () =>
        transaction(db, () => {
          if ('logChannel' in changes) sql.putLogChannel.run(platform, id, logChannel ?? null);
          if ('memory' in changes) sql.putMemory.run(platform, id, text);
        }),
      );
    },
  };
}
