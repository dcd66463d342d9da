/** Who has linked which wallet. Part of the migrations: never change it once released. */
export const LINKS_SQL = `
  -- Whose wallet is whose: apart from the ledger, and no public figure is made of it.
  -- platform and account: of a chat. chain: its place in CHAINS. proof: JSON.
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
  CREATE INDEX link_account ON link (platform, account);
  CREATE INDEX link_checked ON link (checked_at);

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
  CREATE INDEX link_claim_account ON link_claim (platform, account);
  CREATE INDEX link_claim_due ON link_claim (due_at);

  -- keeper: the account that may link it meanwhile; NULL when that was erased.
  CREATE TABLE link_hold (
    platform TEXT NOT NULL,
    address TEXT NOT NULL,
    chain INTEGER NOT NULL,
    keeper TEXT,
    until INTEGER NOT NULL,
    PRIMARY KEY (platform, address)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX link_hold_keeper ON link_hold (platform, keeper);
  CREATE INDEX link_hold_until ON link_hold (until);

  -- body: the rest of the request, JSON.
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
  CREATE INDEX link_request_expires ON link_request (expires_at);

  CREATE TABLE link_choice (
    platform TEXT NOT NULL,
    account TEXT NOT NULL,
    privacy TEXT NOT NULL,
    communities TEXT NOT NULL,
    PRIMARY KEY (platform, account)
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
  CREATE INDEX link_event_account ON link_event (platform, account);
`;
