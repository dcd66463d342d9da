/** As in SQLite. Part of the migrations: never change it once released. */
export const CHANGES_SQL = `
  -- The feed of changes. first: number of the first entry, from 1, without gaps. changes: wallets,
  -- packed; none for an entry that says that an edition of rules went live.
  CREATE TABLE change_part (
    first bigint PRIMARY KEY,
    batch bigint NOT NULL,
    count integer NOT NULL,
    edition integer,
    changes bytea NOT NULL
  );
  ALTER TABLE change_part ALTER COLUMN changes SET STORAGE EXTERNAL;

  -- At most one row. since: the newest batch from before there was a feed. pruned: the number of the
  -- newest entry that isn't kept any more.
  CREATE TABLE change_floor (
    since bigint PRIMARY KEY,
    pruned bigint NOT NULL
  );
`;
