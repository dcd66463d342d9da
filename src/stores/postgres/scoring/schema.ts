/** As in SQLite. Part of the migrations, so it never changes once it was released. */
export const SCORING_SQL = `
  -- Rules, and how far what they made of the evidence is. replaces: the edition that was live before it.
  -- arrived: what of evidence_arrival is in. as_of: the midnight that was taken last, as a day since 1970.
  -- ends: JSON, what the scores are based on.
  CREATE TABLE edition (
    number integer PRIMARY KEY,
    name text COLLATE "C" NOT NULL,
    version integer NOT NULL,
    hash text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL,
    replaces integer,
    arrived bigint NOT NULL,
    as_of integer NOT NULL,
    applied_at bigint,
    ends text COLLATE "C" NOT NULL DEFAULT '[]'
  );

  -- Rules files apart from editions, whose rows are written with each bit of progress: a list may have a
  -- million addresses. Editions with the same hash mean the same, and share a row. lists: JSON, texts by
  -- their paths.
  CREATE TABLE stored_rules (
    hash text COLLATE "C" PRIMARY KEY,
    text text COLLATE "C" NOT NULL,
    lists text COLLATE "C" NOT NULL
  );

  -- Wallets that got evidence, in the order of the commits; kept while there are editions to bring up
  -- to date.
  CREATE TABLE evidence_arrival (
    number bigint PRIMARY KEY,
    wallet integer NOT NULL
  );

  -- What the rules of an edition gave: activities, as those of the ledger. born, gone: the changes (scored_change) that brought a row and took it back, so that who is
  -- behind still finds it; 0 was there when the edition went live. origin: RULE:SOURCE:POSITION.
  CREATE TABLE scored (
    edition integer NOT NULL,
    wallet integer NOT NULL,
    timestamp bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    born bigint NOT NULL,
    gone bigint,
    type text COLLATE "C" NOT NULL,
    description text COLLATE "C" NOT NULL,
    points bigint NOT NULL,
    badge integer,
    origin text COLLATE "C" NOT NULL,
    PRIMARY KEY (edition, wallet, timestamp, id, born)
  );

  -- Sums over those that are there. updated_at: 0 when nothing changed since the edition went live.
  -- due: the day whose midnight changes something next. change: the newest one of the wallet.
  CREATE TABLE scored_wallet (
    edition integer NOT NULL,
    wallet integer NOT NULL,
    points bigint NOT NULL,
    activities integer NOT NULL,
    updated_at bigint NOT NULL,
    due integer,
    change bigint NOT NULL,
    PRIMARY KEY (edition, wallet)
  );
  CREATE INDEX scored_wallet_due ON scored_wallet (edition, due) WHERE due IS NOT NULL;

  CREATE TABLE scored_rule (
    edition integer NOT NULL,
    wallet integer NOT NULL,
    rule text COLLATE "C" NOT NULL,
    points bigint NOT NULL,
    events integer NOT NULL,
    capped bigint NOT NULL,
    decayed bigint NOT NULL,
    discounted bigint NOT NULL,
    newest bigint NOT NULL,
    PRIMARY KEY (edition, wallet, rule)
  );

  CREATE TABLE scored_badge (
    edition integer NOT NULL,
    wallet integer NOT NULL,
    badge integer NOT NULL,
    earned_at bigint NOT NULL,
    PRIMARY KEY (edition, wallet, badge)
  );
  -- For lists of who has a badge, newest first.
  CREATE INDEX scored_badge_holders ON scored_badge (edition, badge, earned_at, wallet);

  -- What a batch changed of the live edition, one row a wallet. points, activities: differences.
  -- gained, lost: numbers of badges with commas between them.
  CREATE TABLE scored_change (
    number bigint PRIMARY KEY,
    batch bigint NOT NULL,
    edition integer NOT NULL,
    wallet integer NOT NULL,
    points bigint NOT NULL,
    activities integer NOT NULL,
    gained text COLLATE "C" NOT NULL,
    lost text COLLATE "C" NOT NULL
  );
  CREATE INDEX scored_change_batch ON scored_change (batch, number);
`;

/** As in SQLite. */
export const SETTLED_SQL = 'ALTER TABLE edition ADD COLUMN settled text COLLATE "C";';
