-- The schema of SQLite files before 0.1.0 was released, which it takes over. Never changed.
CREATE TABLE activity (
    seq INTEGER PRIMARY KEY,
    wallet INTEGER NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    description TEXT NOT NULL,
    points INTEGER NOT NULL,
    timestamp INTEGER NOT NULL,
    badge INTEGER,
    UNIQUE (wallet, id)
  ) STRICT;

CREATE TABLE api_key (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        hash TEXT NOT NULL UNIQUE,
        label TEXT NOT NULL,
        owner TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        revoked_at INTEGER
      ) STRICT;

CREATE TABLE award (
        wallet INTEGER NOT NULL,
        badge INTEGER NOT NULL,
        earned_at INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        PRIMARY KEY (wallet, badge)
      ) STRICT, WITHOUT ROWID;

CREATE TABLE badge (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        description TEXT NOT NULL,
        tier TEXT NOT NULL,
        image_url TEXT NOT NULL,
        soulbound INTEGER NOT NULL,
        revision INTEGER NOT NULL
      ) STRICT;

CREATE TABLE "batch" (
    id INTEGER PRIMARY KEY,
    last_seq INTEGER NOT NULL,
    committed_at INTEGER NOT NULL,
    uid TEXT NOT NULL DEFAULT (lower(hex(randomblob(6)))),
    changes INTEGER NOT NULL
  ) STRICT;

CREATE TABLE busy_activity (
        wallet INTEGER NOT NULL,
        timestamp INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        PRIMARY KEY (wallet, timestamp DESC, seq)
      ) STRICT, WITHOUT ROWID;

CREATE TABLE busy_day (
    wallet INTEGER NOT NULL,
    day INTEGER NOT NULL,
    points INTEGER NOT NULL,
    PRIMARY KEY (wallet, day)
  ) STRICT, WITHOUT ROWID;

CREATE TABLE card_style (
    platform TEXT NOT NULL,
    community TEXT NOT NULL,
    accent INTEGER,
    banner_digest TEXT,
    banner BLOB,
    PRIMARY KEY (platform, community)
  ) STRICT;

CREATE TABLE change_floor (
    since INTEGER PRIMARY KEY,
    pruned INTEGER NOT NULL
  ) STRICT;

CREATE TABLE change_part (
    first INTEGER PRIMARY KEY,
    count INTEGER NOT NULL,
    batch INTEGER NOT NULL,
    edition INTEGER,
    changes BLOB NOT NULL
  ) STRICT;

CREATE TABLE correction (
        number INTEGER PRIMARY KEY,
        seq INTEGER NOT NULL UNIQUE,
        corrects INTEGER NOT NULL,
        wallet INTEGER NOT NULL,
        description TEXT NOT NULL,
        points INTEGER NOT NULL,
        timestamp INTEGER NOT NULL,
        badge INTEGER,
        lost INTEGER
      ) STRICT;

CREATE TABLE delivery (
    seq INTEGER PRIMARY KEY,
    platform TEXT NOT NULL,
    id TEXT NOT NULL,
    body TEXT,
    replica TEXT NOT NULL,
    tries INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    settled_at INTEGER,
    UNIQUE (platform, id)
  ) STRICT;

CREATE TABLE edition (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    hash TEXT NOT NULL,
    state TEXT NOT NULL,
    replaces INTEGER,
    arrived INTEGER NOT NULL,
    as_of INTEGER NOT NULL,
    applied_at INTEGER
  , ends TEXT NOT NULL DEFAULT '[]') STRICT;

CREATE TABLE edition_source (
    edition INTEGER NOT NULL,
    source TEXT NOT NULL,
    height INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (edition, source)
  ) STRICT, WITHOUT ROWID;

CREATE TABLE evidence (
    wallet INTEGER NOT NULL,
    input INTEGER NOT NULL,
    place TEXT NOT NULL,
    height INTEGER NOT NULL,
    time INTEGER NOT NULL,
    args TEXT NOT NULL, transaction_id TEXT,
    PRIMARY KEY (wallet, input, place)
  ) STRICT, WITHOUT ROWID;

CREATE TABLE evidence_arrival (
    number INTEGER PRIMARY KEY,
    wallet INTEGER NOT NULL
  ) STRICT;

CREATE TABLE evidence_input (
    number INTEGER PRIMARY KEY,
    source TEXT NOT NULL,
    name TEXT NOT NULL, height INTEGER, hash TEXT, time INTEGER, verdict TEXT,
    UNIQUE (source, name)
  ) STRICT;

CREATE TABLE evidence_source (
    source TEXT PRIMARY KEY,
    events INTEGER NOT NULL,
    newest INTEGER NOT NULL
  , chain TEXT, left_out INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;

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

CREATE TABLE gate_change (
    run TEXT NOT NULL,
    number INTEGER NOT NULL,
    platform TEXT NOT NULL,
    community TEXT NOT NULL,
    rule TEXT NOT NULL,
    account TEXT NOT NULL,
    step TEXT NOT NULL,
    status TEXT NOT NULL,
    reason TEXT NOT NULL, grant_id TEXT, held_before TEXT, restores TEXT, settled_at INTEGER,
    PRIMARY KEY (run, number)
  ) STRICT, WITHOUT ROWID;

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
    due_at INTEGER, joined_at INTEGER,
    PRIMARY KEY (platform, account, community, rule)
  ) STRICT, WITHOUT ROWID;

CREATE TABLE gate_join_request (
    platform TEXT NOT NULL,
    community TEXT NOT NULL,
    account TEXT NOT NULL,
    locale TEXT,
    asked_at INTEGER NOT NULL,
    PRIMARY KEY (platform, community, account)
  ) STRICT, WITHOUT ROWID;

CREATE TABLE gate_member (
    platform TEXT NOT NULL,
    community TEXT NOT NULL,
    account TEXT NOT NULL,
    protected INTEGER NOT NULL, present INTEGER NOT NULL DEFAULT 1, missed_at INTEGER,
    PRIMARY KEY (platform, community, account)
  ) STRICT, WITHOUT ROWID;

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
    counts TEXT NOT NULL
  , undoes TEXT, confirmed_by TEXT, stopped_by TEXT, told_at INTEGER) STRICT;

CREATE TABLE gate_settings (
    platform TEXT NOT NULL,
    community TEXT NOT NULL,
    log_channel TEXT,
    memory TEXT, roll TEXT,
    PRIMARY KEY (platform, community)
  ) STRICT, WITHOUT ROWID;

CREATE TABLE link (
        platform TEXT NOT NULL,
        address TEXT NOT NULL,
        chain INTEGER NOT NULL,
        account TEXT NOT NULL,
        linked_at INTEGER NOT NULL,
        checked_at INTEGER NOT NULL,
        strikes INTEGER NOT NULL,
        proof TEXT NOT NULL,
        PRIMARY KEY (platform, address)
      ) STRICT, WITHOUT ROWID;

CREATE TABLE link_choice (
        platform TEXT NOT NULL,
        account TEXT NOT NULL,
        privacy TEXT NOT NULL,
        communities TEXT NOT NULL,
        PRIMARY KEY (platform, account)
      ) STRICT, WITHOUT ROWID;

CREATE TABLE link_claim (
        platform TEXT NOT NULL,
        address TEXT NOT NULL,
        chain INTEGER NOT NULL,
        account TEXT NOT NULL,
        claimed_at INTEGER NOT NULL,
        due_at INTEGER NOT NULL,
        proof TEXT NOT NULL,
        PRIMARY KEY (platform, address)
      ) STRICT, WITHOUT ROWID;

CREATE TABLE link_event (
        seq INTEGER PRIMARY KEY,
        at INTEGER NOT NULL,
        platform TEXT NOT NULL,
        account TEXT NOT NULL,
        event TEXT NOT NULL,
        chain INTEGER,
        address TEXT
      ) STRICT;

CREATE TABLE link_hold (
        platform TEXT NOT NULL,
        address TEXT NOT NULL,
        chain INTEGER NOT NULL,
        keeper TEXT,
        until INTEGER NOT NULL,
        PRIMARY KEY (platform, address)
      ) STRICT, WITHOUT ROWID;

CREATE TABLE link_request (
        id TEXT PRIMARY KEY,
        version INTEGER NOT NULL,
        platform TEXT NOT NULL,
        account TEXT NOT NULL,
        way TEXT NOT NULL,
        ticket TEXT UNIQUE,
        session TEXT UNIQUE,
        created_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL,
        body TEXT NOT NULL,
        UNIQUE (platform, account, way)
      ) STRICT, WITHOUT ROWID;

CREATE TABLE name (
        wallet INTEGER PRIMARY KEY,
        display_name TEXT NOT NULL,
        revision INTEGER NOT NULL
      ) STRICT;

CREATE TABLE role_connection (
    account TEXT PRIMARY KEY,
    tokens BLOB NOT NULL,
    version INTEGER NOT NULL,
    connected_at INTEGER NOT NULL,
    checked_at INTEGER NOT NULL,
    told INTEGER NOT NULL,
    shown TEXT,
    fall TEXT
  ) STRICT, WITHOUT ROWID;

CREATE TABLE scored (
    edition INTEGER NOT NULL,
    wallet INTEGER NOT NULL,
    timestamp INTEGER NOT NULL,
    id TEXT NOT NULL,
    born INTEGER NOT NULL,
    gone INTEGER,
    type TEXT NOT NULL,
    description TEXT NOT NULL,
    points INTEGER NOT NULL,
    badge INTEGER,
    origin TEXT NOT NULL,
    PRIMARY KEY (edition, wallet, timestamp DESC, id, born)
  ) STRICT, WITHOUT ROWID;

CREATE TABLE scored_badge (
    edition INTEGER NOT NULL,
    wallet INTEGER NOT NULL,
    badge INTEGER NOT NULL,
    earned_at INTEGER NOT NULL,
    PRIMARY KEY (edition, wallet, badge)
  ) STRICT, WITHOUT ROWID;

CREATE TABLE scored_change (
    number INTEGER PRIMARY KEY,
    batch INTEGER NOT NULL,
    edition INTEGER NOT NULL,
    wallet INTEGER NOT NULL,
    points INTEGER NOT NULL,
    activities INTEGER NOT NULL,
    gained TEXT NOT NULL,
    lost TEXT NOT NULL
  ) STRICT;

CREATE TABLE scored_day (
    edition INTEGER NOT NULL,
    wallet INTEGER NOT NULL,
    day INTEGER NOT NULL,
    points INTEGER NOT NULL,
    change INTEGER NOT NULL,
    PRIMARY KEY (edition, wallet, day)
  ) STRICT, WITHOUT ROWID;

CREATE TABLE scored_rule (
    edition INTEGER NOT NULL,
    wallet INTEGER NOT NULL,
    rule TEXT NOT NULL,
    points INTEGER NOT NULL,
    events INTEGER NOT NULL,
    capped INTEGER NOT NULL,
    decayed INTEGER NOT NULL,
    discounted INTEGER NOT NULL,
    newest INTEGER NOT NULL,
    PRIMARY KEY (edition, wallet, rule)
  ) STRICT, WITHOUT ROWID;

CREATE TABLE scored_wallet (
    edition INTEGER NOT NULL,
    wallet INTEGER NOT NULL,
    points INTEGER NOT NULL,
    activities INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    due INTEGER,
    change INTEGER NOT NULL,
    PRIMARY KEY (edition, wallet)
  ) STRICT, WITHOUT ROWID;

CREATE TABLE stored_rules (
    hash TEXT PRIMARY KEY,
    text TEXT NOT NULL,
    lists TEXT NOT NULL
  ) STRICT;

CREATE TABLE wallet (
        id INTEGER PRIMARY KEY,
        address TEXT NOT NULL UNIQUE,
        chain INTEGER NOT NULL,
        points INTEGER NOT NULL DEFAULT 0,
        activities INTEGER NOT NULL DEFAULT 0,
        updated_at INTEGER NOT NULL DEFAULT 0
      ) STRICT;

CREATE TABLE webhook (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    url TEXT NOT NULL,
    events TEXT NOT NULL,
    chain TEXT NOT NULL,
    min_tier TEXT,
    secret TEXT NOT NULL,
    old_secret TEXT,
    old_secret_until INTEGER,
    created_at INTEGER NOT NULL,
    cursor TEXT NOT NULL,
    round INTEGER NOT NULL,
    paused_at INTEGER,
    pause_reason TEXT
  ) STRICT;

CREATE TABLE webhook_attempt (
    number INTEGER PRIMARY KEY,
    webhook TEXT NOT NULL,
    at INTEGER NOT NULL,
    delivery TEXT NOT NULL,
    events INTEGER NOT NULL,
    taken INTEGER NOT NULL,
    result TEXT NOT NULL,
    milliseconds INTEGER NOT NULL
  ) STRICT;

CREATE TABLE webhook_delivery (
    webhook TEXT NOT NULL,
    number INTEGER NOT NULL,
    id TEXT NOT NULL,
    events TEXT NOT NULL,
    size INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    failing_seconds INTEGER NOT NULL,
    PRIMARY KEY (webhook, number)
  ) STRICT, WITHOUT ROWID;

CREATE TABLE webhook_event (
    webhook TEXT NOT NULL,
    number INTEGER NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (webhook, number)
  ) STRICT, WITHOUT ROWID;

CREATE INDEX api_key_owner ON api_key (owner);

CREATE INDEX award_holders ON award (badge, earned_at, wallet, seq);

CREATE INDEX badge_revision ON badge (revision);

CREATE INDEX correction_corrects ON correction (corrects, number);

CREATE INDEX correction_wallet ON correction (wallet);

CREATE INDEX delivery_open ON delivery (platform, seq) WHERE settled_at IS NULL;

CREATE INDEX delivery_received ON delivery (received_at);

CREATE INDEX gate_audit_account ON gate_audit (platform, account, community)
    WHERE account IS NOT NULL;

CREATE INDEX gate_audit_community ON gate_audit (platform, community);

CREATE INDEX gate_change_account ON gate_change (platform, account);

CREATE INDEX gate_change_planned ON gate_change (platform, community, rule)
    WHERE status = 'planned';

CREATE INDEX gate_change_status ON gate_change (run, status);

CREATE INDEX gate_change_taken ON gate_change (platform, community, settled_at)
    WHERE status = 'done' AND step = 'take';

CREATE INDEX gate_change_unsettled ON gate_change (platform, community)
    WHERE status IN ('begun', 'unknown');

CREATE INDEX gate_grant_rule ON gate_grant (platform, community, rule, holds);

CREATE INDEX gate_join_request_account ON gate_join_request (platform, account);

CREATE INDEX gate_join_request_age ON gate_join_request (platform, community, asked_at);

CREATE INDEX gate_member_account ON gate_member (platform, account);

CREATE INDEX gate_run_community ON gate_run (platform, community);

CREATE INDEX gate_run_held ON gate_run (platform, community) WHERE status = 'held';

CREATE INDEX gate_run_queued ON gate_run (seq) WHERE status = 'queued';

CREATE UNIQUE INDEX gate_run_running ON gate_run (platform, community) WHERE status = 'running';

CREATE INDEX gate_run_untold ON gate_run (seq)
    WHERE told_at IS NULL AND cause <> 'undo' AND status NOT IN ('queued', 'running');

CREATE INDEX link_account ON link (platform, account);

CREATE INDEX link_checked ON link (checked_at);

CREATE INDEX link_claim_account ON link_claim (platform, account);

CREATE INDEX link_claim_due ON link_claim (due_at);

CREATE INDEX link_event_account ON link_event (platform, account);

CREATE INDEX link_hold_keeper ON link_hold (platform, keeper);

CREATE INDEX link_hold_until ON link_hold (until);

CREATE INDEX link_request_expires ON link_request (expires_at);

CREATE INDEX name_revision ON name (revision);

CREATE INDEX role_connection_checked ON role_connection (checked_at);

CREATE INDEX scored_badge_holders ON scored_badge (edition, badge, earned_at, wallet);

CREATE INDEX scored_change_batch ON scored_change (batch, number);

CREATE INDEX scored_wallet_due ON scored_wallet (edition, due) WHERE due IS NOT NULL;

CREATE INDEX webhook_attempt_webhook ON webhook_attempt (webhook, number);

CREATE TRIGGER busy_day_sums AFTER INSERT ON busy_activity BEGIN
    INSERT INTO busy_day
    SELECT new.wallet, new.timestamp / 86400, points FROM activity WHERE seq = new.seq
    ON CONFLICT (wallet, day) DO UPDATE SET points = points + excluded.points;
  END;

CREATE TRIGGER gate_audit_delete BEFORE DELETE ON gate_audit
  BEGIN
    SELECT RAISE(ABORT, 'the audit is only ever added to');
  END;

CREATE TRIGGER gate_audit_insert BEFORE INSERT ON gate_audit
  WHEN EXISTS (SELECT 1 FROM gate_audit WHERE seq = NEW.seq)
  BEGIN
    SELECT RAISE(ABORT, 'the audit is only ever added to');
  END;

CREATE TRIGGER gate_audit_update BEFORE UPDATE ON gate_audit
  WHEN OLD.account IS NULL OR NEW.account IS NOT NULL OR NEW.detail IS NOT ''
    OR (NEW.seq, NEW.at, NEW.platform, NEW.community, NEW.event, NEW.run, NEW.rule, NEW.by_account)
    IS NOT
       (OLD.seq, OLD.at, OLD.platform, OLD.community, OLD.event, OLD.run, OLD.rule, OLD.by_account)
  BEGIN
    SELECT RAISE(ABORT, 'the audit is only ever added to');
  END;
