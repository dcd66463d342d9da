/** Webhooks. Part of the migrations: never change it once released. */
export const WEBHOOKS_SQL = `
  -- events: names, separated by commas. secret: in the clear. cursor: of the changes. round:
  -- counts its holders.
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

  -- Deliveries that aren't taken yet. events: JSON; size: how many.
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

  -- Events whose wallet waits for such a delivery. event: JSON.
  CREATE TABLE webhook_event (
    webhook TEXT NOT NULL,
    number INTEGER NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (webhook, number)
  ) STRICT, WITHOUT ROWID;

  -- The latest attempts of each.
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
  CREATE INDEX webhook_attempt_webhook ON webhook_attempt (webhook, number);
`;
