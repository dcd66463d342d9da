/** Part of the migrations: never change it once released. */
export const EXPLANATION_SQL = `
  -- Points of busy wallets by day since 1970 (see busy_activity), so that a history needs no scan of
  -- a wallet's whole past. A trigger keeps it, whoever writes.
  CREATE TABLE busy_day (
    wallet INTEGER NOT NULL,
    day INTEGER NOT NULL,
    points INTEGER NOT NULL,
    PRIMARY KEY (wallet, day)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER busy_day_sums AFTER INSERT ON busy_activity BEGIN
    INSERT INTO busy_day
    SELECT new.wallet, new.timestamp / 86400, points FROM activity WHERE seq = new.seq
    ON CONFLICT (wallet, day) DO UPDATE SET points = points + excluded.points;
  END;

  -- The same for what the rules of an edition gave wallets with as many rows. change: that of the
  -- wallet (scored_wallet) when it was written; where that has another one, these are out of date.
  CREATE TABLE scored_day (
    edition INTEGER NOT NULL,
    wallet INTEGER NOT NULL,
    day INTEGER NOT NULL,
    points INTEGER NOT NULL,
    change INTEGER NOT NULL,
    PRIMARY KEY (edition, wallet, day)
  ) STRICT, WITHOUT ROWID;

  -- How much of a source that has no blocks (the imports) is in an edition. height: how many events.
  -- at: time of the newest.
  CREATE TABLE edition_source (
    edition INTEGER NOT NULL,
    source TEXT NOT NULL,
    height INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (edition, source)
  ) STRICT, WITHOUT ROWID;
`;
