/**
 * Which replicas are alive, what they have claimed, and what was delivered to them. Part of the
 * migrations: never change it once released.
 *
 * A replica that counts as dead is deleted, and the foreign keys release its claims: so nobody who
 * claims something has to check whether another replica is alive. All times are by this server's
 * clock.
 */
export const WORK_SQL = `
  -- steady_since: since when it has said in time that it lives. notices: what it says to the
  -- others while it lives.
  CREATE TABLE replica (
    id text COLLATE "C" PRIMARY KEY,
    steady_since timestamptz NOT NULL,
    seen_at timestamptz NOT NULL,
    notices text[] NOT NULL DEFAULT '{}'
  );

  -- Only what is held has a row.
  CREATE TABLE claim (
    name text COLLATE "C" PRIMARY KEY,
    replica text COLLATE "C" NOT NULL REFERENCES replica ON DELETE CASCADE
  );
  CREATE INDEX claim_replica ON claim (replica);

  -- replica: who is at it. state: whatever was noted by who did it last.
  CREATE TABLE work (
    kind text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    replica text COLLATE "C" REFERENCES replica ON DELETE SET NULL,
    due_at timestamptz NOT NULL,
    state text NOT NULL DEFAULT '',
    PRIMARY KEY (kind, name)
  );
  CREATE INDEX work_due ON work (kind, due_at, name) WHERE replica IS NULL;
  CREATE INDEX work_replica ON work (replica) WHERE replica IS NOT NULL;

  -- seq: in the order of arrival. body: JSON, NULL once it is settled. replica: who answers it.
  -- tries: how many replicas have had it.
  CREATE TABLE delivery (
    platform text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    seq bigint GENERATED ALWAYS AS IDENTITY,
    body text,
    replica text COLLATE "C" REFERENCES replica ON DELETE SET NULL,
    tries integer NOT NULL,
    received_at timestamptz NOT NULL,
    settled_at timestamptz,
    PRIMARY KEY (platform, id)
  );
  CREATE INDEX delivery_left ON delivery (platform, seq)
    WHERE replica IS NULL AND settled_at IS NULL;
  CREATE INDEX delivery_replica ON delivery (replica) WHERE replica IS NOT NULL;
  CREATE INDEX delivery_received ON delivery (received_at);
`;
