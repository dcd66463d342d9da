/**
 * What outlives grants. Part of the migrations: never change it once released.
 *
 * gate_bar: members whom moderators have barred from a role, from entry, or (`*`) from everything.
 * by_account: NULL if someone unknown removed it by hand. gone: 1 once the member was seen without it.
 * Bars that grants recorded before begin now: nothing says since when they held.
 * gate_refusal: what the platform refuses for one member alone.
 */
export const GATE_BARS_SQL = `
  CREATE TABLE gate_bar (
    platform TEXT NOT NULL,
    account TEXT NOT NULL,
    community TEXT NOT NULL,
    grant_id TEXT NOT NULL,
    barred_at INTEGER NOT NULL,
    by_account TEXT,
    gone INTEGER NOT NULL,
    PRIMARY KEY (platform, account, community, grant_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX gate_bar_community ON gate_bar (platform, community, barred_at);

  CREATE TABLE gate_refusal (
    platform TEXT NOT NULL,
    account TEXT NOT NULL,
    community TEXT NOT NULL,
    grant_id TEXT NOT NULL,
    code TEXT NOT NULL,
    refused_at INTEGER NOT NULL,
    PRIMARY KEY (platform, account, community, grant_id)
  ) STRICT, WITHOUT ROWID;

  -- invite: the one link that requests to join are made with.
  ALTER TABLE gate_settings ADD COLUMN invite TEXT;

  INSERT INTO gate_bar (platform, account, community, grant_id, barred_at, by_account, gone)
  SELECT DISTINCT platform, account, community, grant_id, unixepoch(), NULL, 1
  FROM (
    SELECT gate_grant.platform, gate_grant.account, gate_grant.community, gate_rule.grant_id
    FROM gate_grant JOIN gate_rule ON gate_rule.platform = gate_grant.platform
      AND gate_rule.community = gate_grant.community AND gate_rule.id = gate_grant.rule
    WHERE gate_grant.holds = 'barred'
    UNION SELECT given.platform, given.account, given.community, given.grant_id
    FROM gate_grant JOIN gate_change AS given ON given.platform = gate_grant.platform
      AND given.community = gate_grant.community AND given.account = gate_grant.account
      AND given.rule = gate_grant.rule AND given.step = 'give' AND given.status = 'done'
    WHERE gate_grant.holds = 'barred' AND given.grant_id IS NOT NULL
  ) AS barred;
  UPDATE gate_grant SET holds = 'none' WHERE holds = 'barred';
`;
