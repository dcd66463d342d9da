/** Part of the migrations: never change it once released. */
export const CHANGES_SQL = `
  -- changes: the number of entries in the feed of changes up to the batch. It has no default, so that
  -- an older program that is still running fails instead of leaving changes out.
  CREATE TABLE counted_batch (
    id INTEGER PRIMARY KEY,
    last_seq INTEGER NOT NULL,
    committed_at INTEGER NOT NULL,
    uid TEXT NOT NULL DEFAULT (lower(hex(randomblob(6)))),
    changes INTEGER NOT NULL
  ) STRICT;
  INSERT INTO counted_batch (id, last_seq, committed_at, uid, changes)
  SELECT id, last_seq, committed_at, uid, 0 FROM batch;
  DROP TABLE batch;
  ALTER TABLE counted_batch RENAME TO batch;

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
  INSERT INTO change_floor (since, pruned) SELECT max(id), 0 FROM batch HAVING max(id) IS NOT NULL;
`;
