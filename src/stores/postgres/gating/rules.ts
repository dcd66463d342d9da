import { CHAINS } from '#core/chain';
import type { GateStore } from '#core/gating/store';
import { communityOf, ruleOf, settingsOf } from '#stores/gating/rows';
import { retried } from '#stores/postgres/conflicts';
import type { Database } from '#stores/postgres/database';

const ITS = 'platform = $1 AND community = $2';

const HAND_OVER = `
  INSERT INTO gate_grant (platform, community, account, rule, holds, lacks, joined_at)
  SELECT held.platform, held.community, held.account, heir.id, held.holds, 0, held.joined_at
  FROM gate_rule AS gone
  JOIN gate_rule AS heir ON heir.platform = $1 AND heir.community = $2
    AND heir.grant_id = gone.grant_id AND heir.id <> gone.id
  JOIN gate_grant AS held ON held.platform = $1 AND held.community = $2 AND held.rule = gone.id
    AND held.holds IN ('ours', 'barred')
  WHERE gone.platform = $1 AND gone.community = $2 AND gone.id = $3
  ORDER BY held.account, heir.id
  ON CONFLICT (platform, account, community, rule) DO UPDATE
  SET holds = excluded.holds, joined_at = excluded.joined_at
  WHERE gate_grant.holds = 'none' OR excluded.holds = 'ours'`;

/** What moderators have set up. */
export function createRuleTables(
  db: Database,
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
  const putSetting = (column: 'log_channel' | 'memory' | 'roll') =>
    `INSERT INTO gate_settings (platform, community, ${column}) VALUES ($1, $2, $3)
     ON CONFLICT (platform, community) DO UPDATE SET ${column} = excluded.${column}`;

  return {
    async communities() {
      const sql = 'SELECT DISTINCT platform, community FROM gate_rule ORDER BY platform, community';
      return (await db.rows(sql)).map(communityOf);
    },
    async rulesOf({ platform, id }) {
      const sql = `SELECT * FROM gate_rule WHERE ${ITS} ORDER BY created_at, id`;
      return (await db.rows(sql, [platform, id])).map(ruleOf);
    },
    async putRule(rule) {
      await db.run(
        `INSERT INTO gate_rule
           (platform, community, id, grant_id, grant_name, requirements, matching, chain, exclusive,
            grace_seconds, paused, created_by, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
         ON CONFLICT (platform, community, id) DO UPDATE SET
           grant_id = excluded.grant_id, grant_name = excluded.grant_name,
           requirements = excluded.requirements, matching = excluded.matching,
           chain = excluded.chain, exclusive = excluded.exclusive,
           grace_seconds = excluded.grace_seconds, paused = excluded.paused,
           created_by = excluded.created_by, created_at = excluded.created_at`,
        [
          rule.community.platform,
          rule.community.id,
          rule.id,
          rule.grant,
          rule.grantName,
          JSON.stringify(rule.requirements),
          rule.match,
          rule.chain && CHAINS.indexOf(rule.chain),
          Number(rule.exclusive),
          rule.graceSeconds,
          rule.paused,
          rule.createdBy,
          rule.createdAt,
        ],
      );
    },
    changeRule: ({ community: { platform, id }, id: rule, ...to }) =>
      retried(() =>
        db.transaction(async (queries) => {
          const changed = await queries.run(
            `UPDATE gate_rule SET grant_name = $4, requirements = $5, matching = $6, chain = $7,
               exclusive = $8, grace_seconds = $9
             WHERE ${ITS} AND id = $3`,
            [
              platform,
              id,
              rule,
              to.grantName,
              JSON.stringify(to.requirements),
              to.match,
              to.chain && CHAINS.indexOf(to.chain),
              Number(to.exclusive),
              to.graceSeconds,
            ],
          );
          // What was counted was counted under the rule as it was.
          await queries.run(
            `UPDATE gate_grant SET lacks = 0, first_lack_at = NULL, last_lack_at = NULL,
               warned_at = NULL, due_at = NULL
             WHERE (platform, account, community, rule) IN (
               SELECT platform, account, community, rule FROM gate_grant
               WHERE ${ITS} AND rule = $3 AND lacks > 0 ORDER BY account FOR UPDATE)`,
            [platform, id, rule],
          );
          return changed > 0;
        }),
      ),
    async pauseRule({ platform, id }, rule, paused) {
      const sql = `UPDATE gate_rule SET paused = $4 WHERE ${ITS} AND id = $3`;
      await db.run(sql, [platform, id, rule, paused]);
    },
    removeRule: ({ community, id }) =>
      retried(() =>
        db.transaction(async (queries) => {
          const its = [community.platform, community.id, id];
          // Who has something from this rule has it from others that give the same from now on.
          await queries.run(HAND_OVER, its);
          // The rule first: it waits for whoever writes grants of it, and lets nobody begin to.
          await queries.run(`DELETE FROM gate_rule WHERE ${ITS} AND id = $3`, its);
          await queries.run(
            `DELETE FROM gate_change WHERE ${ITS} AND rule = $3 AND status = 'planned'`,
            its,
          );
          await queries.run(`DELETE FROM gate_grant WHERE ${ITS} AND rule = $3`, its);
        }),
      ),
    async settingsOf({ platform, id }) {
      const sql = `SELECT * FROM gate_settings WHERE ${ITS}`;
      return settingsOf((await db.rows(sql, [platform, id]))[0]);
    },
    putSettings: ({ platform, id }, changes) =>
      db.transaction(async (queries) => {
        const { logChannel, memory, roll } = changes;
        if ('logChannel' in changes) {
          await queries.run(putSetting('log_channel'), [platform, id, logChannel]);
        }
        const json = (value: object | undefined) => value && JSON.stringify(value);
        if ('memory' in changes) {
          await queries.run(putSetting('memory'), [platform, id, json(memory)]);
        }
        if ('roll' in changes) await queries.run(putSetting('roll'), [platform, id, json(roll)]);
      }),
  };
}
