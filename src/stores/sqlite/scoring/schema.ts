/** Part of the migrations, so it never changes once it was released. */
export const SCORING_SQL = `
  -- Rules, and how far what they made of the evidence is. replaces: the edition that was live before it.
  -- arrived: what of evidence_arrival is in. as_of: the midnight that was taken last, as a day since 1970.
  -- ends: JSON, what the scores are based on.
  CREATE TABLE edition (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    hash TEXT NOT NULL,
    state TEXT NOT NULL,
    replaces INTEGER,
    arrived INTEGER NOT NULL,
    as_of INTEGER NOT NULL,
    applied_at INTEGER,
    ends TEXT NOT NULL DEFAULT '[]'
  ) STRICT;

  -- Rules files apart from editions, whose rows are written with each bit of progress: a list may have a
  -- million addresses. Editions with the same hash mean the same, and share a row. lists: JSON, texts by
  -- their paths.
  CREATE TABLE stored_rules (
    hash TEXT PRIMARY KEY,
    text TEXT NOT NULL,
    lists TEXT NOT NULL
  ) STRICT;

  -- Wallets that got evidence, in the order of the commits; kept while there are editions to bring up
  -- to date.
  CREATE TABLE evidence_arrival (
    number INTEGER PRIMARY KEY,
    wallet INTEGER NOT NULL
  ) STRICT;

  -- What the rules of an edition gave: activities, as those of the ledger. The newest of a wallet come
  -- first. born, gone: the changes (scored_change) that brought a row and took it back, so that who is
  -- behind still finds it; 0 was there when the edition went live. origin: RULE:SOURCE:POSITION.
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

  -- Sums over those that are there. updated_at: 0 when nothing changed since the edition went live.
  -- due: the day whose midnight changes something next. change: the newest one of the wallet.
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
  CREATE INDEX scored_wallet_due ON scored_wallet (edition, due) WHERE due IS NOT NULL;

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

  CREATE TABLE scored_badge (
    edition INTEGER NOT NULL,
    wallet INTEGER NOT NULL,
    badge INTEGER NOT NULL,
    earned_at INTEGER NOT NULL,
    PRIMARY KEY (edition, wallet, badge)
  ) STRICT, WITHOUT ROWID;
  -- For lists of who has a badge, newest first.
  CREATE INDEX scored_badge_holders ON scored_badge (edition, badge, earned_at, wallet);

  -- What a batch changed of the live edition, one row a wallet. points, activities: differences.
  -- gained, lost: numbers of badges with commas between them.
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
  CREATE INDEX scored_change_batch ON scored_change (batch, number);
`;

/**
 * The state in which all scores of an edition last stood on the same evidence and day, as JSON of its newest
 * change, its day and its ends; null where an earlier version wrote it.
 */
export const SETTLED_SQL = 'ALTER TABLE edition ADD COLUMN settled TEXT;';
