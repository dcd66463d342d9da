/** As in SQLite. Part of the migrations: never change it once released. */
export const EXPLANATION_SQL = `
  -- Points of busy wallets by day since 1970 (see busy_activity), so that a history needs no scan of
  -- a wallet's whole past. A trigger keeps it, whoever writes.
  CREATE TABLE busy_day (
    wallet integer NOT NULL,
    day integer NOT NULL,
    points bigint NOT NULL,
    PRIMARY KEY (wallet, day)
  );
  CREATE FUNCTION add_busy_days() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO busy_day
    SELECT added.wallet, added.timestamp / 86400, sum(activity.points)
    FROM added JOIN activity ON activity.seq = added.seq GROUP BY 1, 2
    ON CONFLICT (wallet, day) DO UPDATE SET points = busy_day.points + excluded.points;
    RETURN NULL;
  END $$;
  CREATE TRIGGER busy_day_sums AFTER INSERT ON busy_activity
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION add_busy_days();

  -- The same for what the rules of an edition gave wallets with as many rows. change: that of the
  -- wallet (scored_wallet) when it was written; where that has another one, these are out of date.
  CREATE TABLE scored_day (
    edition integer NOT NULL,
    wallet integer NOT NULL,
    day integer NOT NULL,
    points bigint NOT NULL,
    change bigint NOT NULL,
    PRIMARY KEY (edition, wallet, day)
  );

  -- How much of a source that has no blocks (the imports) is in an edition. height: how many events.
  -- at: time of the newest.
  CREATE TABLE edition_source (
    edition integer NOT NULL,
    source text COLLATE "C" NOT NULL,
    height bigint NOT NULL,
    at bigint NOT NULL,
    PRIMARY KEY (edition, source)
  );
`;
