import type { DatabaseSync } from 'node:sqlite';
import { CHAINS } from '#core/chain';
import type { Rule } from '#core/gating/rule';
import type { GateStore } from '#core/gating/store';
import { communityOf, ruleOf, settingsOf } from '#stores/gating/rows';
import { transaction } from '#stores/sqlite/database';
import { translatingErrors } from '#stores/sqlite/errors';

/** Of what two rules remember of a member, whether the one that goes remembers more. */
const IS_STRONGER = `gate_grant.holds = 'none' OR excluded.holds = 'ours'`;

/** What moderators have set up. */
export function createRuleTables(
  db: DatabaseSync,
  file: string,
): Pick<
  GateStore,
  | 'communities'
  | 'rulesOf'
  | 'putRule'
  | 'changeRule'
  | 'pauseRule'
  | 'removeRule'
  | 'settingsOf'
  | 'putSettings'
> {
  const its = 'platform = ?1 AND community = ?2';
  const putSetting = (column: 'log_channel' | 'memory' | 'roll') =>
    db.prepare(
      `INSERT INTO gate_settings (platform, community, ${column}) VALUES (?, ?, ?)
       ON CONFLICT (platform, community) DO UPDATE SET ${column} = excluded.${column}`,
    );
  const sql = {
    communities: db.prepare(
      'SELECT DISTINCT platform, community FROM gate_rule ORDER BY platform, community',
    ),
    rules: db.prepare(`SELECT * FROM gate_rule WHERE ${its} ORDER BY created_at, id`),
    rule: db.prepare(`SELECT * FROM gate_rule WHERE ${its} AND id = ?3`),
    put: db.prepare(
      `INSERT OR REPLACE INTO gate_rule
         (platform, community, id, grant_id, grant_name, requirements, matching, chain, exclusive,
          grace_seconds, paused, created_by, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    change: db.prepare(
      `UPDATE gate_rule SET grant_name = ?4, requirements = ?5, matching = ?6, chain = ?7,
         exclusive = ?8, grace_seconds = ?9
       WHERE ${its} AND id = ?3`,
    ),
    // What was counted was counted under the rule as it was. What members were told stays true.
    recount: db.prepare(
      `UPDATE gate_grant INDEXED BY gate_grant_rule
       SET lacks = 0, first_lack_at = NULL, last_lack_at = NULL, warned_at = NULL
       WHERE ${its} AND rule = ?3`,
    ),
    pause: db.prepare(`UPDATE gate_rule SET paused = ?3 WHERE ${its} AND id = ?4`),
    settings: db.prepare(`SELECT * FROM gate_settings WHERE ${its}`),
    putLogChannel: putSetting('log_channel'),
    putMemory: putSetting('memory'),
    putRoll: putSetting('roll'),
  };
  const removing = [
    // Who has something from this rule has it from others that give the same from now on.
    db.prepare(
      `INSERT INTO gate_grant
         (platform, community, account, rule, holds, lacks, due_at, joined_at)
       SELECT held.platform, held.community, held.account, heir.id, held.holds, 0, held.due_at,
         held.joined_at
       FROM gate_rule AS gone
       JOIN gate_rule AS heir ON heir.platform = ?1 AND heir.community = ?2
         AND heir.grant_id = gone.grant_id AND heir.id <> gone.id
       JOIN gate_grant AS held ON held.platform = ?1 AND held.community = ?2 AND held.rule = gone.id
         AND (held.holds IN ('ours', 'barred') OR held.due_at IS NOT NULL)
       WHERE gone.platform = ?1 AND gone.community = ?2 AND gone.id = ?3
       ON CONFLICT (platform, account, community, rule) DO UPDATE SET
         holds = iif(${IS_STRONGER}, excluded.holds, gate_grant.holds),
         joined_at = iif(${IS_STRONGER}, excluded.joined_at, gate_grant.joined_at),
         due_at = coalesce(max(gate_grant.due_at, excluded.due_at), gate_grant.due_at, excluded.due_at)`,
    ),
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
    communities: () => translatingErrors(file, () => sql.communities.all()).map(communityOf),
    rulesOf: ({ platform, id }) =>
      translatingErrors(file, () => sql.rules.all(platform, id)).map(ruleOf),
    putRule(rule) {
      translatingErrors(file, () => putRule(rule));
    },
    changeRule({ platform, id }, rule, change) {
      return translatingErrors(file, () =>
        transaction(db, () => {
          const row = sql.rule.get(platform, id, rule);
          if (row === undefined) return undefined;
          const current = ruleOf(row);
          const changed = change(current);
          const { grantName, requirements, match, chain, exclusive, graceSeconds } = changed;
          sql.change.run(
            platform,
            id,
            rule,
            grantName,
            JSON.stringify(requirements),
            match,
            chain === undefined ? null : CHAINS.indexOf(chain),
            Number(exclusive),
            graceSeconds,
          );
          sql.recount.run(platform, id, rule);
          return { ...changed, grant: current.grant, paused: current.paused };
        }),
      );
    },
    pauseRule({ platform, id }, rule, paused) {
      translatingErrors(file, () =>
        transaction(db, () => {
          sql.pause.run(platform, id, paused ?? null, rule);
          if (paused === undefined) sql.recount.run(platform, id, rule);
        }),
      );
    },
    removeRule({ community, id }) {
      translatingErrors(file, () =>
        transaction(db, () => {
          for (const statement of removing) statement.run(community.platform, community.id, id);
        }),
      );
    },
    settingsOf: ({ platform, id }) =>
      settingsOf(translatingErrors(file, () => sql.settings.get(platform, id))),
    putSettings({ platform, id }, changes) {
      const { logChannel, memory, roll } = changes;
      const json = (value: object | undefined) =>
        value === undefined ? null : JSON.stringify(value);
      translatingErrors(file, () =>
        transaction(db, () => {
          if ('logChannel' in changes) sql.putLogChannel.run(platform, id, logChannel ?? null);
          if ('memory' in changes) sql.putMemory.run(platform, id, json(memory));
          if ('roll' in changes) sql.putRoll.run(platform, id, json(roll));
        }),
      );
    },
  };
}
