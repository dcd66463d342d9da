/**
 * Members connected for Discord's Linked Roles. Part of the migrations: never change it once
 * released.
 */
export const LINKED_ROLES_SQL = `
  -- account: Discord's id. tokens: sealed. version: counts their changes. shown and fall: JSON.
  CREATE TABLE role_connection (
    account text COLLATE "C" PRIMARY KEY,
    tokens bytea NOT NULL,
    version bigint NOT NULL,
    connected_at bigint NOT NULL,
    checked_at bigint NOT NULL,
    told smallint NOT NULL,
    shown text,
    fall text
  );
  CREATE INDEX role_connection_checked ON role_connection (checked_at, account);
`;
