import type { GateStore, Rule } from '#gating';
import {
  type Dialect,
  firstRow,
  OF_COMMUNITY,
  putRow,
  rows,
  run,
  type SqlRunner,
  type SqlScript,
} from '#storage/sql/script';
import { CHAINS } from '#wallet';
import { renameBars } from './grants.ts';
import { communityOfRow, ruleOf, settingsOf } from './rows.ts';

/** A rule comes with how wallets count in its community. */
const WALLETS = `(
    SELECT its.wallets FROM gate_settings AS its
    WHERE its.platform = gate_rule.platform AND its.community = gate_rule.community
  ) AS wallets`;
const RULES = `SELECT gate_rule.*, ${WALLETS} FROM gate_rule`;
const SETTINGS = `SELECT * FROM gate_settings WHERE ${OF_COMMUNITY}`;
/** Each with all settings; "wallets" is one of them. */
const RULES_WITH_SETTINGS =
  'SELECT * FROM gate_rule LEFT JOIN gate_settings USING (platform, community)';

/** When two rules are merged: the removed rule's memory of a member, if it is stronger. */
const stronger = (column: 'holds' | 'joined_at') =>
  `${column} = CASE WHEN gate_grant.holds = 'none' OR excluded.holds = 'ours'
     THEN excluded.${column} ELSE gate_grant.${column} END`;

/** The rule gave it, and somebody has taken it since: an undo must know that it isn't the rule's any more. */
const ONCE_GIVEN = `holds <> 'ours' AND EXISTS (
  SELECT 1 FROM gate_change AS given
  WHERE given.platform = gate_grant.platform AND given.account = gate_grant.account
    AND given.community = gate_grant.community AND given.rule = gate_grant.rule
    AND given.step = 'give' AND given.status = 'done')`;

const HAND_OVER = `
  INSERT INTO gate_grant (platform, community, account, rule, holds, lacks, due_at, joined_at)
  SELECT held.platform, held.community, held.account, heir.id, held.holds, 0, held.due_at,
    held.joined_at
  FROM gate_rule AS gone
  JOIN gate_rule AS heir ON heir.platform = $1 AND heir.community = $2
    AND heir.grant_id = gone.grant_id AND heir.id <> gone.id
  JOIN gate_grant AS held ON held.platform = $1 AND held.community = $2 AND held.rule = gone.id
    AND (held.holds = 'ours' OR held.due_at IS NOT NULL)
  WHERE gone.platform = $1 AND gone.community = $2 AND gone.id = $3
  ORDER BY held.account, heir.id
  ON CONFLICT (platform, account, community, rule) DO UPDATE SET
    ${stronger('holds')}, ${stronger('joined_at')},
    due_at = CASE WHEN gate_grant.due_at IS NULL OR excluded.due_at > gate_grant.due_at
      THEN excluded.due_at ELSE gate_grant.due_at END`;

type SettingColumn =
  | 'log_channel'
  | 'memory'
  | 'roll'
  | 'invite'
  | 'ladder'
  | 'language'
  | 'setup'
  | 'wallets'
  | 'audit_cursor'
  | 'announce'
  | 'announced'
  | 'look'
  | 'panel'
  | 'panel_post'
  | 'digest';

/** What moderators have configured. */
export function createRuleTables(
  sql: SqlRunner,
): Pick<
  GateStore,
  | 'communities'
  | 'withPanels'
  | 'rulesOf'
  | 'putRule'
  | 'changeRule'
  | 'pauseRule'
  | 'renameGrant'
  | 'removeRule'
  | 'settingsOf'
  | 'rulesAndSettingsOf'
  | 'putSettings'
> {
  const { dialect } = sql;
  return {
    communities: () =>
      sql.query(function* () {
        const text =
          'SELECT DISTINCT platform, community FROM gate_rule ORDER BY platform, community';
        return (yield* rows(text)).map(communityOfRow);
      }),
    withPanels: () =>
      sql.query(function* () {
        const text = `SELECT platform, community FROM gate_settings
          WHERE panel IS NOT NULL OR panel_post IS NOT NULL ORDER BY platform, community`;
        return (yield* rows(text)).map(communityOfRow);
      }),
    rulesOf: ({ platform, id }) =>
      sql.query(function* () {
        const text = `${RULES} WHERE ${OF_COMMUNITY} ORDER BY created_at, id`;
        return (yield* rows(text, [platform, id])).map(ruleOf);
      }),
    putRule: (rule) => sql.query(() => putRule(rule)),
    changeRule: ({ platform, id }, rule, change) =>
      sql.transact(function* () {
        const row = yield* firstRow(
          `${RULES} WHERE ${OF_COMMUNITY} AND id = $3 ${dialect.forUpdate}`,
          [platform, id, rule],
        );
        if (row === undefined) return undefined;
        const current = ruleOf(row);
        const to = change(current);
        yield* run(
          `UPDATE gate_rule SET grant_name = $4, requirements = $5, matching = $6, chain = $7,
             exclusive = $8, grace_seconds = $9, bounds = $10, hidden = $11
           WHERE ${OF_COMMUNITY} AND id = $3`,
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
            boundsText(to),
            Number(to.isHidden === true),
          ],
        );
        yield* recount(dialect, [platform, id, rule]);
        return { ...to, grant: current.grant, paused: current.paused };
      }),
    pauseRule: ({ platform, id }, rule, paused, from) =>
      sql.transact(function* (): SqlScript<boolean> {
        const text = `UPDATE gate_rule SET paused = $4 WHERE ${OF_COMMUNITY} AND id = $3`;
        const values = [platform, id, rule, paused];
        const changed =
          from === undefined
            ? yield* run(text, values)
            : yield* run(`${text} AND coalesce(paused, 'active') = $5`, [...values, from]);
        if (changed > 0 && paused === undefined) yield* recount(dialect, [platform, id, rule]);
        return changed > 0;
      }),
    renameGrant: ({ platform, id }, grant, name) =>
      sql.transact(function* (): SqlScript<void> {
        yield* run(
          `UPDATE gate_rule SET grant_name = $4 WHERE ${OF_COMMUNITY} AND grant_id = $3 AND grant_name <> $4`,
          [platform, id, grant, name],
        );
        yield* renameBars([platform, id, grant], name);
      }),
    removeRule: ({ platform, id: community }, id) =>
      sql.transact(function* (): SqlScript<Rule | undefined> {
        const key = [platform, community, id];
        // Members who hold something by this rule now hold it by other rules that grant the same.
        yield* run(HAND_OVER, key);
        // Delete the rule first: that waits for writers of its grants and blocks new ones.
        const gone = yield* firstRow(
          `DELETE FROM gate_rule WHERE ${OF_COMMUNITY} AND id = $3 RETURNING *, ${WALLETS}`,
          key,
        );
        yield* run(
          `DELETE FROM gate_change WHERE ${OF_COMMUNITY} AND rule = $3 AND status = 'planned'`,
          key,
        );
        const grants = `gate_grant ${dialect.indexedBy('gate_grant_rule')}`;
        yield* run(
          `DELETE FROM ${grants} WHERE ${OF_COMMUNITY} AND rule = $3 AND NOT (${ONCE_GIVEN})`,
          key,
        );
        return gone && ruleOf(gone);
      }),
    settingsOf: ({ platform, id }) =>
      sql.query(function* () {
        return settingsOf(yield* firstRow(SETTINGS, [platform, id]));
      }),
    rulesAndSettingsOf: ({ platform, id }) =>
      sql.query(function* () {
        const text = `${RULES_WITH_SETTINGS} WHERE ${OF_COMMUNITY} ORDER BY created_at, id`;
        const found = yield* rows(text, [platform, id]);
        const row = found[0] ?? (yield* firstRow(SETTINGS, [platform, id]));
        return { rules: found.map(ruleOf), settings: settingsOf(row) };
      }),
    putSettings: ({ platform, id }, changes) =>
      sql.transact(function* (): SqlScript<void> {
        const { logChannel, memory, memberScan, invite, isLadder, language, setup, walletMode } =
          changes;
        const before = yield* firstRow(`SELECT wallets FROM gate_settings WHERE ${OF_COMMUNITY}`, [
          platform,
          id,
        ]);
        const json = (value: object | undefined) => value && JSON.stringify(value);
        const put = (column: SettingColumn, value: string | number | undefined) =>
          putRow('gate_settings', { platform, community: id, [column]: value });
        if ('logChannel' in changes) yield* put('log_channel', logChannel);
        if ('memory' in changes) yield* put('memory', json(memory));
        if ('memberScan' in changes) yield* put('roll', json(memberScan));
        if ('invite' in changes) yield* put('invite', invite);
        if ('setup' in changes) yield* put('setup', json(setup));
        if ('announce' in changes) yield* put('announce', json(changes.announce));
        if ('look' in changes) yield* put('look', json(changes.look));
        if ('panel' in changes) yield* put('panel', json(changes.panel));
        if ('panelPost' in changes) yield* put('panel_post', json(changes.panelPost));
        if ('digest' in changes) yield* put('digest', json(changes.digest));
        if ('announced' in changes) yield* put('announced', json(changes.announced));
        if ('language' in changes) yield* put('language', language);
        if ('auditCursor' in changes) yield* put('audit_cursor', changes.auditCursor);
        if ('isLadder' in changes) yield* put('ladder', isLadder === true ? 1 : undefined);
        const isSum = walletMode === 'sum';
        if (!('walletMode' in changes) || (before?.wallets === 'sum') === isSum) return;
        yield* put('wallets', isSum ? walletMode : undefined);
        const found = yield* rows(`SELECT id FROM gate_rule WHERE ${OF_COMMUNITY} ORDER BY id`, [
          platform,
          id,
        ]);
        for (const rule of found) yield* recount(dialect, [platform, id, String(rule.id)]);
      }),
  };
}

function putRule(rule: Rule): SqlScript<void> {
  return putRow('gate_rule', {
    platform: rule.community.platform,
    community: rule.community.id,
    id: rule.id,
    grant_id: rule.grant,
    grant_name: rule.grantName,
    requirements: JSON.stringify(rule.requirements),
    matching: rule.match,
    chain: rule.chain && CHAINS.indexOf(rule.chain),
    exclusive: Number(rule.exclusive),
    grace_seconds: rule.graceSeconds,
    paused: rule.paused,
    created_by: rule.createdBy,
    created_at: rule.createdAt,
    bounds: boundsText(rule),
    hidden: Number(rule.isHidden === true),
  });
}

function boundsText({ bounds = [] }: Rule): string | undefined {
  return bounds.length === 0 ? undefined : JSON.stringify(bounds);
}

/** Readings were counted under the old rule. What members were told remains true. */
function* recount(
  { forUpdate, indexedBy }: Dialect,
  rule: readonly [platform: string, community: string, id: string],
): SqlScript<void> {
  yield* run(
    `UPDATE gate_grant SET lacks = 0, first_lack_at = NULL, last_lack_at = NULL, warned_at = NULL
     WHERE (platform, account, community, rule) IN (
       SELECT platform, account, community, rule FROM gate_grant ${indexedBy('gate_grant_rule')}
       WHERE ${OF_COMMUNITY} AND rule = $3 AND lacks > 0 ORDER BY account ${forUpdate})`,
    rule,
  );
}
