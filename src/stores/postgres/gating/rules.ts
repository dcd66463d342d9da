import { CHAINS } from '#core/chain';
import type { GateStore } from '#core/gating/store';
import { communityOf, ruleOf, settingsOf } from '#stores/gating/rows';
import type { Database } from '#stores/postgres/database';
import { retryConflicts } from '#stores/postgres/retry-conflicts';

const ITS = 'platform = $1 AND community = $2';

/** Of what two rules remember of a member, what the one that goes remembers, if that is more. */
const stronger = (column: 'holds' | 'joined_at') =>
  `${column} = CASE WHEN gate_grant.holds = 'none' OR excluded.holds = 'ours'
     THEN excluded.${column} ELSE gate_grant.${column} END`;

const HAND_OVER = `
  INSERT INTO gate_grant (platform, community, account, rule, holds, lacks, due_at, joined_at)
  SELECT held.platform, held.community, held.account, heir.id, held.holds, 0, held.due_at,
    held.joined_at
  FROM gate_rule AS gone
  JOIN gate_rule AS heir ON heir.platform = $1 AND heir.community = $2
    AND heir.grant_id = gone.grant_id AND heir.id <> gone.id
  JOIN gate_grant AS held ON held.platform = $1 AND held.community = $2 AND held.rule = gone.id
    AND (held.holds IN ('ours', 'barred') OR held.due_at IS NOT NULL)
  WHERE gone.platform = $1 AND gone.community = $2 AND gone.id = $3
  ORDER BY held.account, heir.id
  ON CONFLICT (platform, account, community, rule) DO UPDATE SET
    ${stronger('holds')}, ${stronger('joined_at')},
    due_at = greatest(gate_grant.due_at, excluded.due_at)`;

// What was counted was counted under the rule as it was. What members were told stays true.
const RECOUNT = `
  UPDATE gate_grant SET lacks = 0, first_lack_at = NULL, last_lack_at = NULL, warned_at = NULL
  WHERE (platform, account, community, rule) IN (
    SELECT platform, account, community, rule FROM gate_grant
    WHERE ${ITS} AND rule = $3 AND lacks > 0 ORDER BY account FOR UPDATE)`;

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
    changeRule: ({ platform, id }, rule, change) =>
      retryConflicts(() =>
        db.transaction(async (queries) => {
          const [row] = await queries.rows(
            `SELECT * FROM gate_rule WHERE ${ITS} AND id = $3 FOR UPDATE`,
            [platform, id, rule],
          );
          if (row === undefined) return undefined;
          const current = ruleOf(row);
          const to = change(current);
          await queries.run(
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
          await queries.run(RECOUNT, [platform, id, rule]);
          return { ...to, grant: current.grant, paused: current.paused };
        }),
      ),
    pauseRule: ({ platform, id }, rule, paused) =>
      retryConflicts(() =>
        db.transaction(async (queries) => {
          const sql = `UPDATE gate_rule SET paused = $4 WHERE ${ITS} AND id = $3`;
          await queries.run(sql, [platform, id, rule, paused]);
          if (paused === undefined) await queries.run(RECOUNT, [platform, id, rule]);
        }),
      ),
    removeRule: ({ community, id }) =>
      retryConflicts(() =>
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
