import type { Table } from './table.ts';

/**
 * Rows of the audit are only ever added. One change is allowed: a row about an account that is erased
 * loses the account and the detail, and nothing else. In SQLite, INSERT OR REPLACE deletes without a
 * word to the trigger on deletes.
 */
const GUARD_AUDIT = {
  sqlite: `
  CREATE TRIGGER gate_audit_update BEFORE UPDATE ON gate_audit
  WHEN OLD.account IS NULL OR NEW.account IS NOT NULL OR NEW.detail IS NOT ''
    OR (NEW.seq, NEW.at, NEW.platform, NEW.community, NEW.event, NEW.run, NEW.rule, NEW.by_account)
    IS NOT
       (OLD.seq, OLD.at, OLD.platform, OLD.community, OLD.event, OLD.run, OLD.rule, OLD.by_account)
  BEGIN
    SELECT RAISE(ABORT, 'the audit is only ever added to');
  END;
  CREATE TRIGGER gate_audit_delete BEFORE DELETE ON gate_audit
  BEGIN
    SELECT RAISE(ABORT, 'the audit is only ever added to');
  END;
  CREATE TRIGGER gate_audit_insert BEFORE INSERT ON gate_audit
  WHEN EXISTS (SELECT 1 FROM gate_audit WHERE seq = NEW.seq)
  BEGIN
    SELECT RAISE(ABORT, 'the audit is only ever added to');
  END;`,
  postgres: `
  CREATE FUNCTION gate_audit_guard() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'UPDATE' THEN
      IF OLD.account IS NOT NULL AND NEW.account IS NULL AND NEW.detail = ''
        AND (NEW.seq, NEW.at, NEW.platform, NEW.community, NEW.event, NEW.run, NEW.rule, NEW.by_account)
        IS NOT DISTINCT FROM
            (OLD.seq, OLD.at, OLD.platform, OLD.community, OLD.event, OLD.run, OLD.rule, OLD.by_account)
      THEN
        RETURN NEW;
      END IF;
    END IF;
    RAISE EXCEPTION 'the audit is only ever added to';
  END $$;
  CREATE TRIGGER gate_audit_change BEFORE UPDATE OR DELETE ON gate_audit
    FOR EACH ROW EXECUTE FUNCTION gate_audit_guard();
  CREATE TRIGGER gate_audit_truncate BEFORE TRUNCATE ON gate_audit
    FOR EACH STATEMENT EXECUTE FUNCTION gate_audit_guard();`,
};

/**
 * Who gets which role by which rule, what was done about it, and why. A community is a platform and
 * the id of a guild or group there; accounts belong to the same platform. Released: what is here
 * never changes; see `Table.added`.
 */
export const GATING_TABLES: readonly Table[] = [
  {
    name: 'gate_rule',
    columns: {
      platform: 'key',
      community: 'key',
      id: 'key',
      grant_id: 'text',
      grant_name: 'text',
      // JSON.
      requirements: 'text',
      matching: 'text',
      // Its place in CHAINS.
      chain: 'small?',
      exclusive: 'small',
      grace_seconds: 'big',
      paused: 'text?',
      created_by: 'text',
      created_at: 'big',
    },
    added: {
      // JSON; NULL for none.
      'upper bounds of rules': { columns: { bounds: 'text?' } },
      'hidden rules': { columns: { hidden: 'small = 0' } },
    },
    key: 'platform, community, id',
  },
  {
    name: 'gate_settings',
    columns: {
      platform: 'key',
      community: 'key',
      log_channel: 'text?',
      // JSON.
      memory: 'text?',
      // JSON: how far the search for members has come.
      roll: 'text?',
    },
    // The one link that requests to join are made with.
    added: {
      'bars and refusals of members': { columns: { invite: 'text?' } },
      'ladder of roles': { columns: { ladder: 'small?' } },
      'language of communities': { columns: { language: 'text?' } },
      // JSON: what the last setup made.
      'setup of communities': { columns: { setup: 'text?' } },
      // NULL for each wallet by itself.
      'sum of wallets': { columns: { wallets: 'text?' } },
      // The newest entry of the platform's own log that counts.
      'how far audit logs count': { columns: { audit_cursor: 'text?' } },
      // JSON: what is announced where, and how far that has come.
      announcements: { columns: { announce: 'text?', announced: 'text?', look: 'text?' } },
      // JSON: where the panel is, and what is posted there.
      panels: { columns: { panel: 'text?', panel_post: 'text?' } },
      // JSON: how far it has come; NULL where it's off.
      'digest of communities': { columns: { digest: 'text?' } },
      // Another one whenever the linked wallets of its members change.
      'stamps of links': { columns: { links: 'text?' } },
    },
    key: 'platform, community',
  },
  {
    name: 'gate_member',
    columns: {
      platform: 'key',
      community: 'key',
      account: 'key',
      protected: 'small',
      // 0 for somebody who has left and is protected should they return.
      present: 'small = 1',
      // When a complete list first came without them; NULL for who was seen since.
      missed_at: 'big?',
    },
    // As their request to join told it.
    added: { 'languages of members': { columns: { locale: 'text?' } } },
    key: 'platform, community, account',
    indexes: { gate_member_account: '(platform, account)' },
  },
  // Pending requests to join, with only what an answer needs.
  {
    name: 'gate_join_request',
    columns: {
      platform: 'key',
      community: 'key',
      account: 'key',
      locale: 'text?',
      asked_at: 'big',
    },
    key: 'platform, community, account',
    indexes: {
      gate_join_request_account: '(platform, account)',
      gate_join_request_age: '(platform, community, asked_at)',
    },
  },
  // Usernames of people whom the bot has met in a community, in lower case.
  {
    name: 'gate_username',
    since: 'usernames',
    columns: {
      platform: 'key',
      community: 'key',
      username: 'key',
      account: 'key',
      seen_at: 'big',
    },
    key: 'platform, community, username',
    indexes: { gate_username_account: '(platform, account)' },
  },
  {
    name: 'gate_grant',
    columns: {
      platform: 'key',
      account: 'key',
      community: 'key',
      rule: 'key',
      holds: 'key',
      lacks: 'int',
      first_lack_at: 'big?',
      last_lack_at: 'big?',
      warned_at: 'big?',
      due_at: 'big?',
      // When the member had joined, as the platform said when the rule gave.
      joined_at: 'big?',
    },
    // The account comes before the community, so that one key finds a member's and an account's.
    key: 'platform, account, community, rule',
    indexes: { gate_grant_rule: '(platform, community, rule, holds)' },
  },
  // Members whom moderators have barred from a role, from entry, or (`*`) from everything.
  {
    name: 'gate_bar',
    since: 'bars and refusals of members',
    columns: {
      platform: 'key',
      account: 'key',
      community: 'key',
      grant_id: 'key',
      barred_at: 'big',
      // NULL if someone unknown removed it by hand.
      by_account: 'text?',
      // 1 once the member was seen without it.
      gone: 'small',
    },
    added: {
      // What the role was last called; NULL where nothing has told it.
      'names of barred roles': { columns: { grant_name: 'text?' } },
      // The deleted role that it was on before.
      'origins of bars': { columns: { origin: 'text?' } },
      // When somebody barred them once more.
      'renewals of bars': { columns: { renewed_at: 'big?' } },
      // JSON: what the role was called before, since the first of its bars.
      'former names of barred roles': { columns: { former_names: 'text?' } },
    },
    key: 'platform, account, community, grant_id',
    indexes: { gate_bar_community: '(platform, community, barred_at)' },
  },
  // What the platform refuses for one member alone.
  {
    name: 'gate_refusal',
    since: 'bars and refusals of members',
    columns: {
      platform: 'key',
      account: 'key',
      community: 'key',
      grant_id: 'key',
      code: 'text',
      refused_at: 'big',
    },
    key: 'platform, account, community, grant_id',
  },
  {
    name: 'gate_run',
    columns: {
      // In the order in which they began; held ones, in which they were confirmed.
      seq: 'serial',
      id: 'key unique',
      platform: 'key',
      community: 'key',
      cause: 'text',
      by_account: 'text?',
      started_at: 'big',
      finished_at: 'big?',
      status: 'key',
      // JSON.
      counts: 'text',
      // The id of the run that this one undoes.
      undoes: 'key?',
      // The moderator who let it take what it had held.
      confirmed_by: 'text?',
      // Who asked it to end before its next change.
      stopped_by: 'text?',
      // When moderators were told of it, or asked about a held one.
      told_at: 'big?',
    },
    key: 'seq',
    indexes: {
      gate_run_community: {
        sqlite: '(platform, community)',
        postgres: '(platform, community, seq)',
      },
      gate_run_running: "UNIQUE (platform, community) WHERE status = 'running'",
      gate_run_held: "(platform, community) WHERE status = 'held'",
      gate_run_queued: "(seq) WHERE status = 'queued'",
      gate_run_untold:
        "(seq) WHERE told_at IS NULL AND cause <> 'undo' AND status NOT IN ('queued', 'running')",
    },
  },
  {
    name: 'gate_change',
    columns: {
      run: 'key',
      number: 'int',
      // Those of the run, so that a rule's and an account's are found.
      platform: 'key',
      community: 'key',
      rule: 'key',
      account: 'key',
      step: 'text',
      status: 'key',
      reason: 'text',
      // That of the rule, which may be removed before the change is settled or undone.
      grant_id: 'text?',
      // What was remembered of the member right before.
      held_before: 'text?',
      // What an undo puts back.
      restores: 'text?',
      settled_at: 'big?',
    },
    // `up` or `down` the ladder, and the other role.
    added: { 'ladder of roles': { columns: { ladder: 'text?' } } },
    key: 'run, number',
    indexes: {
      gate_change_status: { sqlite: '(run, status)', postgres: '(run, status, number)' },
      gate_change_account: '(platform, account)',
      gate_change_planned: "(platform, community, rule) WHERE status = 'planned'",
      gate_change_unsettled: "(platform, community) WHERE status IN ('begun', 'unknown')",
      gate_change_taken:
        "(platform, community, settled_at) WHERE status = 'done' AND step = 'take'",
    },
  },
  // What was last seen of members, where rises are announced.
  {
    name: 'gate_mark',
    since: 'announcements',
    columns: {
      platform: 'key',
      account: 'key',
      community: 'key',
      basis: 'text',
      epoch: 'text',
      tier: 'text?',
      // JSON, as the next two.
      badges: 'text',
      had: 'text',
      // What is to be announced.
      rise: 'text?',
      // The message that announces it.
      post: 'key?',
    },
    // What was announced last. Of who has left, with an empty basis, nothing else is kept.
    added: {
      'what was announced of members': {
        columns: { told_tier: 'text?', told_at: 'big?' },
        indexes: { gate_mark_left: "(told_at) WHERE basis = ''" },
      },
      // JSON, and when the last ones were.
      'which badges were announced': {
        columns: { told_badges: 'text?', told_badges_at: 'big?' },
      },
    },
    // The account comes first, so that one key finds a member's and an account's.
    key: 'platform, account, community',
    indexes: {
      gate_mark_community: '(platform, community, account)',
      gate_mark_rise: '(platform, community, post) WHERE rise IS NOT NULL',
    },
  },
  // The ids that a community had before, under which its audit rows stay.
  {
    name: 'gate_former',
    since: 'former ids of communities',
    columns: { platform: 'key', community: 'key', former: 'key' },
    key: 'platform, community, former',
  },
  {
    name: 'gate_audit',
    columns: {
      seq: 'serial',
      at: 'big',
      platform: 'key',
      community: 'key',
      event: 'text',
      run: 'text?',
      rule: 'text?',
      // The member it is about.
      account: 'key?',
      // The moderator who did it, as platform:id.
      by_account: 'text?',
      detail: 'text',
    },
    key: 'seq',
    indexes: {
      gate_audit_community: {
        sqlite: '(platform, community)',
        postgres: '(platform, community, seq)',
      },
      gate_audit_account: {
        sqlite: '(platform, account, community) WHERE account IS NOT NULL',
        postgres: '(platform, account, community, seq) WHERE account IS NOT NULL',
      },
    },
    also: GUARD_AUDIT,
  },
];
