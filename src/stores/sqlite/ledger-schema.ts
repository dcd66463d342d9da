/** All activities of wallets with more than this many are in `busy_activity`. */
export const BUSY_ABOVE = 500;

/**
 * The ledger: append-only, one row per activity, `seq` in order of arrival. Ids are unique within a
 * wallet, so that a single small index enforces uniqueness.
 */
export const LEDGER_TABLE_SQL = `
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
  ) STRICT`;

/** The ledger and its read model. Part of the migrations: never change it once released. */
export const LEDGER_SQL = `
  ${LEDGER_TABLE_SQL};

  -- The newest activities first, of wallets with more than BUSY_ABOVE alone: those of the others
  -- are few enough to be sorted when they are asked for, and a second index over all would cost
  -- a third of an import's time.
  CREATE TABLE busy_activity (
    wallet INTEGER NOT NULL,
    timestamp INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (wallet, timestamp DESC, seq)
  ) STRICT, WITHOUT ROWID;

  -- The read model: sums over the ledger, written in the same transaction.
  -- chain: its place in CHAINS. updated_at: when the last activity was added.
  CREATE TABLE wallet (
    id INTEGER PRIMARY KEY,
    address TEXT NOT NULL UNIQUE,
    chain INTEGER NOT NULL,
    points INTEGER NOT NULL DEFAULT 0,
    activities INTEGER NOT NULL DEFAULT 0,
    updated_at INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  -- revision: the batch that wrote the row last, so that readers find what is new.
  CREATE TABLE name (
    wallet INTEGER PRIMARY KEY,
    display_name TEXT NOT NULL,
    revision INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX name_revision ON name (revision);

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
  CREATE INDEX badge_revision ON badge (revision);

  -- seq: the ledger row that earned it first here; earned_at: the earliest time of all.
  CREATE TABLE award (
    wallet INTEGER NOT NULL,
    badge INTEGER NOT NULL,
    earned_at INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (wallet, badge)
  ) STRICT, WITHOUT ROWID;
  -- For lists of who has a badge, newest first.
  CREATE INDEX award_holders ON award (badge, earned_at, wallet, seq);

  -- A row a transaction. last_seq: the newest ledger row after it. uid: tells it from one with the same
  -- id in a database that was rebuilt or restored from a backup. changes: the number of entries in the
  -- feed of changes up to it; it has no default, so that nobody leaves changes out.
  CREATE TABLE batch (
    id INTEGER PRIMARY KEY,
    last_seq INTEGER NOT NULL,
    committed_at INTEGER NOT NULL,
    uid TEXT NOT NULL DEFAULT (lower(hex(randomblob(6)))),
    changes INTEGER NOT NULL
  ) STRICT;

  -- Corrections of activities.
  -- number: in the order in which they hold. seq: the ledger row of the correction; corrects:
  -- that of the activity, of the same wallet. What the activity is from then on. lost: the badge
  -- that the wallet has no longer by it.
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
  CREATE INDEX correction_corrects ON correction (corrects, number);
  CREATE INDEX correction_wallet ON correction (wallet);
`;
