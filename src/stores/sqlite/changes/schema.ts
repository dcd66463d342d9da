/** Part of the migrations: never change it once released. */
export const CHANGES_SQL = `
  -- The feed of changes. first: number of the first entry, from 1, without gaps. changes: wallets,
  -- packed; none for an entry that says that an edition of rules went live.
  CREATE TABLE change_part (
    first INTEGER PRIMARY KEY,
    count INTEGER NOT NULL,
    batch INTEGER NOT NULL,
    edition INTEGER,
    changes BLOB NOT NULL
  ) STRICT;

  -- At most one row. since: the newest batch from before there was a feed. pruned: the number of the
  -- newest entry that isn't kept any more.
  CREATE TABLE change_floor (
    since INTEGER PRIMARY KEY,
    pruned INTEGER NOT NULL
  ) STRICT;
`;
