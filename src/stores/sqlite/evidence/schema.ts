/** Part of the migrations: never change it once released. */
export const EVIDENCE_SQL = `
  -- What rules wait for. Of the source "import": the names of events. height, hash,
  -- time: how far the input of a chain has been read; nothing for imports. verdict: on its balances.
  CREATE TABLE evidence_input (
    number INTEGER PRIMARY KEY,
    source TEXT NOT NULL,
    name TEXT NOT NULL,
    height INTEGER,
    hash TEXT,
    time INTEGER,
    verdict TEXT,
    UNIQUE (source, name)
  ) STRICT;

  -- Events, each once, whatever the rules: those of one wallet lie together, so that rules are folded
  -- over wallet after wallet. place: within the source; of an import the source of the line. height:
  -- the first part of the order; of an import its time. time: seconds since 1970. args: JSON.
  -- transaction_id: by which an explorer finds the event.
  CREATE TABLE evidence (
    wallet INTEGER NOT NULL,
    input INTEGER NOT NULL,
    place TEXT NOT NULL,
    height INTEGER NOT NULL,
    time INTEGER NOT NULL,
    args TEXT NOT NULL,
    transaction_id TEXT,
    PRIMARY KEY (wallet, input, place)
  ) STRICT, WITHOUT ROWID;

  -- How much there is of each source, written in the same transaction. newest: time of the newest event.
  -- chain: the source's, so that other events never get its name. left_out: events that name no wallet
  -- or are malformed.
  CREATE TABLE evidence_source (
    source TEXT PRIMARY KEY,
    events INTEGER NOT NULL,
    newest INTEGER NOT NULL,
    chain TEXT,
    left_out INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
`;

/** Of inputs of chains: how many events each has, and how many were left out. */
export const INPUT_COUNTS_SQL = `
  ALTER TABLE evidence_input ADD COLUMN events INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE evidence_input ADD COLUMN left_out INTEGER NOT NULL DEFAULT 0;
  UPDATE evidence_input SET events = found.n
    FROM (SELECT input, count(*) AS n FROM evidence GROUP BY input) AS found
    WHERE found.input = evidence_input.number AND evidence_input.height IS NOT NULL;
`;
