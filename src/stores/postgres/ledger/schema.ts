/** All activities of wallets with more than this many are in `busy_activity`. */
export const BUSY_ABOVE = 500;

/**
 * The ledger and its read model, as in SQLite. Part of the migrations: never change it once
 * released.
 */
export const LEDGER_SQL = `
  -- The ledger: append-only, one row an activity, seq in the order of arrival and without gaps. Ids
  -- are unique within a wallet, so that one index serves uniqueness and stays small.
  CREATE TABLE activity (
    seq bigint PRIMARY KEY,
    timestamp bigint NOT NULL,
    wallet integer NOT NULL,
    points integer NOT NULL,
    badge integer,
    id text COLLATE "C" NOT NULL,
    type text NOT NULL,
    description text NOT NULL,
    UNIQUE (wallet, id)
  );

  -- The newest activities first, of wallets with many alone: those of the others are few enough to
  -- be sorted when they are asked for, and a third index over all would slow every import down.
  CREATE TABLE busy_activity (
    wallet integer NOT NULL,
    timestamp bigint NOT NULL,
    seq bigint NOT NULL,
    PRIMARY KEY (wallet, timestamp, seq)
  );

  -- The read model: sums over the ledger, written in the same transaction. Pages have room for a
  -- row's next version, so that the index on addresses is left alone when a sum changes.
  -- chain: its place in CHAINS. updated_at: when the last activity was added.
  CREATE TABLE wallet (
    id integer PRIMARY KEY,
    chain smallint NOT NULL,
    points bigint NOT NULL DEFAULT 0,
    updated_at bigint NOT NULL DEFAULT 0,
    activities integer NOT NULL DEFAULT 0,
    address text COLLATE "C" NOT NULL,
    UNIQUE (address) INCLUDE (id)
  ) WITH (fillfactor = 50);

  -- revision: the batch that wrote the row last, so that readers find what is new.
  CREATE TABLE name (
    wallet integer PRIMARY KEY,
    revision bigint NOT NULL,
    display_name text NOT NULL
  );
  CREATE INDEX name_revision ON name (revision, wallet);

  CREATE TABLE badge (
    number integer PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    name text NOT NULL,
    description text NOT NULL,
    tier text NOT NULL,
    image_url text NOT NULL,
    soulbound smallint NOT NULL,
    revision bigint NOT NULL
  );
  CREATE INDEX badge_revision ON badge (revision);

  -- seq: the ledger row that earned it first here; earned_at: the earliest time of all.
  CREATE TABLE award (
    wallet integer NOT NULL,
    badge integer NOT NULL,
    earned_at bigint NOT NULL,
    seq bigint NOT NULL,
    PRIMARY KEY (wallet, badge)
  );
  -- For lists of who has a badge, newest first.
  CREATE INDEX award_holders ON award (badge, earned_at, wallet) INCLUDE (seq);

  -- A row a transaction. last_seq: the newest ledger row after it. uid: tells it from another batch
  -- with its id, which may come to be when a server that takes over lacks the last commits.
  -- summed: whether it is in the sums of wallet, as all but an import's newest few are. changes: the
  -- number of entries in the feed of changes up to it.
  CREATE TABLE batch (
    id bigint PRIMARY KEY,
    last_seq bigint NOT NULL,
    committed_at bigint NOT NULL,
    uid text COLLATE "C" NOT NULL DEFAULT left(replace(gen_random_uuid()::text, '-', ''), 12),
    summed boolean NOT NULL,
    changes bigint NOT NULL
  );
  CREATE INDEX batch_not_summed ON batch (last_seq, id) WHERE NOT summed;

  -- Corrections of activities.
  -- number: in the order in which they hold. seq: the ledger row of the correction; corrects: that of
  -- the activity, of the same wallet. What the activity is from then on. lost: the badge that the
  -- wallet has no longer by it.
  CREATE TABLE correction (
    number bigint PRIMARY KEY,
    seq bigint NOT NULL UNIQUE,
    corrects bigint NOT NULL,
    timestamp bigint NOT NULL,
    wallet integer NOT NULL,
    points integer NOT NULL,
    badge integer,
    lost integer,
    description text NOT NULL
  );
  CREATE INDEX correction_corrects ON correction (corrects, number);
  CREATE INDEX correction_wallet ON correction (wallet);
`;
