/**
 * Who gets which role by which rule, what was done about it, and why. A community is a platform and
 * the id of a guild or group there; accounts belong to the same platform. Part of the migrations:
 * never change it once released.
 */
export const GATING_SQL = `
  -- requirements: JSON. chain: its place in CHAINS.
  CREATE TABLE gate_rule (
    platform TEXT NOT NULL,
    community TEXT NOT NULL,
    id TEXT NOT NULL,
    grant_id TEXT NOT NULL,
    grant_name TEXT NOT NULL,
    requirements TEXT NOT NULL,
    matching TEXT NOT NULL,
    chain INTEGER,
    exclusive INTEGER NOT NULL,
    grace_seconds INTEGER NOT NULL,
    paused TEXT,
    created_by TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (platform, community, id)
  ) STRICT, WITHOUT ROWID;

  -- memory: JSON. roll: JSON, how far the search for members has come.
  CREATE TABLE gate_settings (
    platform TEXT NOT NULL,
    community TEXT NOT NULL,
    log_channel TEXT,
    memory TEXT,
    roll TEXT,
    PRIMARY KEY (platform, community)
  ) STRICT, WITHOUT ROWID;

  -- present: 0 for somebody who has left and is protected should they return. missed_at: when a complete
  -- list first came without them; NULL for who was seen since.
  CREATE TABLE gate_member (
    platform TEXT NOT NULL,
    community TEXT NOT NULL,
    account TEXT NOT NULL,
    protected INTEGER NOT NULL,
    present INTEGER NOT NULL DEFAULT 1,
    missed_at INTEGER,
    PRIMARY KEY (platform, community, account)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX gate_member_account ON gate_member (platform, account);

  -- The account comes before the community, so that one key finds both a member's and an account's.
  -- joined_at: when the member had joined, as the platform said when the rule gave.
  CREATE TABLE gate_grant (
    platform TEXT NOT NULL,
    account TEXT NOT NULL,
    community TEXT NOT NULL,
    rule TEXT NOT NULL,
    holds TEXT NOT NULL,
    lacks INTEGER NOT NULL,
    first_lack_at INTEGER,
    last_lack_at INTEGER,
    warned_at INTEGER,
    due_at INTEGER,
    joined_at INTEGER,
    PRIMARY KEY (platform, account, community, rule)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX gate_grant_rule ON gate_grant (platform, community, rule, holds);

  -- seq: in the order in which they began; held ones, in which they were confirmed. counts: JSON.
  -- undoes: the id of the run that this one undoes. confirmed_by: the moderator who let it take what
  -- it had held. stopped_by: who asked it to end before its next change. told_at: when moderators were
  -- told of it, or asked about a held one.
  CREATE TABLE gate_run (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    platform TEXT NOT NULL,
    community TEXT NOT NULL,
    cause TEXT NOT NULL,
    by_account TEXT,
    started_at INTEGER NOT NULL,
    finished_at INTEGER,
    status TEXT NOT NULL,
    counts TEXT NOT NULL,
    undoes TEXT,
    confirmed_by TEXT,
    stopped_by TEXT,
    told_at INTEGER
  ) STRICT;
  CREATE INDEX gate_run_community ON gate_run (platform, community);
  CREATE UNIQUE INDEX gate_run_running ON gate_run (platform, community) WHERE status = 'running';
  CREATE INDEX gate_run_held ON gate_run (platform, community) WHERE status = 'held';
  CREATE INDEX gate_run_queued ON gate_run (seq) WHERE status = 'queued';
  CREATE INDEX gate_run_untold ON gate_run (seq)
    WHERE told_at IS NULL AND cause <> 'undo' AND status NOT IN ('queued', 'running');

  -- platform and community: those of the run, so that a rule's and an account's are found.
  -- grant_id: that of the rule, which may be removed before the change is settled or undone.
  -- held_before: what was remembered of the member right before. restores: what an undo puts back.
  CREATE TABLE gate_change (
    run TEXT NOT NULL,
    number INTEGER NOT NULL,
    platform TEXT NOT NULL,
    community TEXT NOT NULL,
    rule TEXT NOT NULL,
    account TEXT NOT NULL,
    step TEXT NOT NULL,
    status TEXT NOT NULL,
    reason TEXT NOT NULL,
    grant_id TEXT,
    held_before TEXT,
    restores TEXT,
    settled_at INTEGER,
    PRIMARY KEY (run, number)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX gate_change_status ON gate_change (run, status);
  CREATE INDEX gate_change_account ON gate_change (platform, account);
  CREATE INDEX gate_change_planned ON gate_change (platform, community, rule)
    WHERE status = 'planned';
  CREATE INDEX gate_change_unsettled ON gate_change (platform, community)
    WHERE status IN ('begun', 'unknown');
  CREATE INDEX gate_change_taken ON gate_change (platform, community, settled_at)
    WHERE status = 'done' AND step = 'take';

  -- account: the member it is about; by_account: the moderator who did it, as platform:id.
  CREATE TABLE gate_audit (
    seq INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    platform TEXT NOT NULL,
    community TEXT NOT NULL,
    event TEXT NOT NULL,
    run TEXT,
    rule TEXT,
    account TEXT,
    by_account TEXT,
    detail TEXT NOT NULL
  ) STRICT;
  CREATE INDEX gate_audit_community ON gate_audit (platform, community);
  CREATE INDEX gate_audit_account ON gate_audit (platform, account, community)
    WHERE account IS NOT NULL;

  -- Rows are only ever added. One change is allowed: a row about an account that is erased loses the
  -- account and the detail, and nothing else.
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
  -- INSERT OR REPLACE deletes without a word to the trigger above.
  CREATE TRIGGER gate_audit_insert BEFORE INSERT ON gate_audit
  WHEN EXISTS (SELECT 1 FROM gate_audit WHERE seq = NEW.seq)
  BEGIN
    SELECT RAISE(ABORT, 'the audit is only ever added to');
  END;

  -- Pending requests to join, with only what an answer needs.
  CREATE TABLE gate_join_request (
    platform TEXT NOT NULL,
    community TEXT NOT NULL,
    account TEXT NOT NULL,
    locale TEXT,
    asked_at INTEGER NOT NULL,
    PRIMARY KEY (platform, community, account)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX gate_join_request_account ON gate_join_request (platform, account);
  CREATE INDEX gate_join_request_age ON gate_join_request (platform, community, asked_at);
`;

/** Part of the migrations: never change it once released. */
export const USERNAMES_SQL = `
  -- Usernames of people whom the bot has met in a community, in lower case.
  CREATE TABLE gate_username (
    platform TEXT NOT NULL,
    community TEXT NOT NULL,
    username TEXT NOT NULL,
    account TEXT NOT NULL,
    seen_at INTEGER NOT NULL,
    PRIMARY KEY (platform, community, username)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX gate_username_account ON gate_username (platform, account);
`;
