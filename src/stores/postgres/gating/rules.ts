import { CHAINS } from '#core/chain';
import type { GateStore } from '#core/gating/store';
import { communityOf, ruleOf, settingsOf } from '#stores/gating/rows';
import { retried } from '#stores/postgres/conflicts';
import type { Database } from '#stores/postgres/database';

const ITS = 'platform = $1 AND community = $2';

/** What moderators have set up. */
export function createRuleTables(
  db: Database,
): Pick<
  GateStore,
  'communities' | 'rulesOf' | 'putRule' | 'pauseRule' | 'removeRule' | 'settingsOf' | 'putSettings'
> {
  const putSetting = (column: 'log_channel' | 'memory') =>
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
    async pauseRule({ platform, id }, rule, paused) {
      const sql = `UPDATE gate_rule SET paused = $4 WHERE ${ITS} AND id = $3`;
      await db.run(sql, [platform, id, rule, paused]);
    },
    removeRule: ({ community, id }) =>
      retried(() =>
        db.transaction(async (queries) => {
          const its = [community.platform, community.id, id];
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
        const { logChannel, memory } = changes;
        const text = memory === undefined ? undefined : JSON.stringify(memory);
        if ('logChannel' in changes) {
          await queries.run(putSetting('log_channel'), [platform, id, logChannel]);
        }
        if ('memory' in changes) await queries.run(putSetting('memory'), [platform, id, text]);
      }),
  };
}
