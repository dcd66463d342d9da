/**
 * Members connected for Discord's Linked Roles. Part of the migrations: never change it once
 * released.
 */
export const LINKED_ROLES_SQL = `
  -- account: Discord's id. tokens: sealed. version: counts their changes. shown and fall: JSON.
  CREATE TABLE role_connection (
    account TEXT PRIMARY KEY,
    tokens BLOB NOT NULL,
    version INTEGER NOT NULL,
    connected_at INTEGER NOT NULL,
    checked_at INTEGER NOT NULL,
    told INTEGER NOT NULL,
    shown TEXT,
    fall TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX role_connection_checked ON role_connection (checked_at);
`;
