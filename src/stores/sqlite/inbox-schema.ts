/** Part of the migrations: never change it once released. */
export const INBOX_SQL = `
  -- What was delivered: seq in the order of arrival, body JSON, NULL once it is settled.
  -- replica: the process that answers it. tries: how many have had it.
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
  CREATE INDEX delivery_open ON delivery (platform, seq) WHERE settled_at IS NULL;
  CREATE INDEX delivery_received ON delivery (received_at);
`;
