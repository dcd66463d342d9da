/** As in SQLite. Part of the migrations: never change it once released. */
export const EVIDENCE_SQL = `
  -- What rules wait for. Of the source "import": the names of events. height, hash,
  -- time: how far the input of a chain has been read; nothing for imports. verdict: on its balances.
  CREATE TABLE evidence_input (
    number integer PRIMARY KEY,
    source text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    height bigint,
    hash text COLLATE "C",
    time bigint,
    verdict text COLLATE "C",
    UNIQUE (source, name)
  );

  -- Events, each once, whatever the rules. place: within the source; of an import the source of the
  -- line. height: the first part of the order; of an import its time. time: seconds since 1970.
  -- args: JSON.
  -- transaction_id: by which an explorer finds the event.
  CREATE TABLE evidence (
    height bigint NOT NULL,
    time bigint NOT NULL,
    wallet integer NOT NULL,
    input integer NOT NULL,
    place text COLLATE "C" NOT NULL,
    args text NOT NULL,
    transaction_id text COLLATE "C",
    PRIMARY KEY (wallet, input, place)
  );

  -- How much there is of each source, written in the same transaction. newest: time of the newest event.
  -- chain: the source's, so that other events never get its name. left_out: events that name no wallet
  -- or are malformed.
  CREATE TABLE evidence_source (
    source text COLLATE "C" PRIMARY KEY,
    events bigint NOT NULL,
    newest bigint NOT NULL,
    chain text COLLATE "C",
    left_out bigint NOT NULL DEFAULT 0
  );
`;

/** As in SQLite. */
export const INPUT_COUNTS_SQL = `
  ALTER TABLE evidence_input
    ADD COLUMN events bigint NOT NULL DEFAULT 0,
    ADD COLUMN left_out bigint NOT NULL DEFAULT 0;
  UPDATE evidence_input SET events = found.n
    FROM (SELECT input, count(*) AS n FROM evidence GROUP BY input) AS found
    WHERE found.input = evidence_input.number AND evidence_input.height IS NOT NULL;
`;
