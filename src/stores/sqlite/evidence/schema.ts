/** Part of the migrations: never change it once released. */
export const EVIDENCE_SQL = `
  -- What rules wait for. Of the source "import": the names of events.
  CREATE TABLE evidence_input (
    number INTEGER PRIMARY KEY,
    source TEXT NOT NULL,
    name TEXT NOT NULL,
    UNIQUE (source, name)
  ) STRICT;

  -- Events, each once, whatever the rules: those of one wallet lie together, so that rules are folded
  -- over wallet after wallet. place: within the source; of an import the source of the line. height:
  -- the first part of the order; of an import its time. time: seconds since 1970. args: JSON.
  CREATE TABLE evidence (
    wallet INTEGER NOT NULL,
    input INTEGER NOT NULL,
    place TEXT NOT NULL,
    height INTEGER NOT NULL,
    time INTEGER NOT NULL,
    args TEXT NOT NULL,
    PRIMARY KEY (wallet, input, place)
  ) STRICT, WITHOUT ROWID;

  -- How much there is of each source, written in the same transaction. newest: time of the newest event.
  CREATE TABLE evidence_source (
    source TEXT PRIMARY KEY,
    events INTEGER NOT NULL,
    newest INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`;

/**
 * How far each input of a chain has been read; nothing for imports. verdict: on its balances.
 * chain: the source's, so that other events never get its name. transaction_id: by which an
 * explorer finds an event. ends: JSON, what an edition's scores are based on.
 */
export const CHAIN_EVIDENCE_SQL = `
  ALTER TABLE evidence_input ADD COLUMN height INTEGER;
  ALTER TABLE evidence_input ADD COLUMN hash TEXT;
  ALTER TABLE evidence_input ADD COLUMN time INTEGER;
  ALTER TABLE evidence_input ADD COLUMN verdict TEXT;
  ALTER TABLE evidence_source ADD COLUMN chain TEXT;
  ALTER TABLE evidence ADD COLUMN transaction_id TEXT;
  ALTER TABLE edition ADD COLUMN ends TEXT NOT NULL DEFAULT '[]';
`;

/** left_out: events that name no wallet or are malformed. */
export const LEFT_OUT_SQL = `
  ALTER TABLE evidence_source ADD COLUMN left_out INTEGER NOT NULL DEFAULT 0;
`;
