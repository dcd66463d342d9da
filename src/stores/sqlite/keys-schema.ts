/** API keys. Part of the migrations: never change it once released. */
export const KEYS_SQL = `
  CREATE TABLE api_key (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    hash TEXT NOT NULL UNIQUE,
    label TEXT NOT NULL,
    owner TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
  ) STRICT;
  CREATE INDEX api_key_owner ON api_key (owner);
`;
