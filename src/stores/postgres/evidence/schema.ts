/** As in SQLite. Part of the migrations: never change it once released. */
export const EVIDENCE_SQL = `
  -- What rules wait for. Of the source "import": the names of events.
  CREATE TABLE evidence_input (
    number integer PRIMARY KEY,
    source text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    UNIQUE (source, name)
  );

  -- Events, each once, whatever the rules. place: within the source; of an import the source of the
  -- line. height: the first part of the order; of an import its time. time: seconds since 1970.
  -- args: JSON.
  CREATE TABLE evidence (
    height bigint NOT NULL,
    time bigint NOT NULL,
    wallet integer NOT NULL,
    input integer NOT NULL,
    place text COLLATE "C" NOT NULL,
    args text NOT NULL,
    PRIMARY KEY (wallet, input, place)
  );

  -- How much there is of each source, written in the same transaction. newest: time of the newest event.
  CREATE TABLE evidence_source (
    source text COLLATE "C" PRIMARY KEY,
    events bigint NOT NULL,
    newest bigint NOT NULL
  );
`;

/** As in SQLite. */
export const CHAIN_EVIDENCE_SQL = `
  ALTER TABLE evidence_input
    ADD COLUMN height bigint,
    ADD COLUMN hash text COLLATE "C",
    ADD COLUMN time bigint,
    ADD COLUMN verdict text COLLATE "C";
  ALTER TABLE evidence_source ADD COLUMN chain text COLLATE "C";
  ALTER TABLE evidence ADD COLUMN transaction_id text COLLATE "C";
  ALTER TABLE edition ADD COLUMN ends text COLLATE "C" NOT NULL DEFAULT '[]';
`;

/** As in SQLite. */
export const LEFT_OUT_SQL = `
  ALTER TABLE evidence_source ADD COLUMN left_out bigint NOT NULL DEFAULT 0;
`;
