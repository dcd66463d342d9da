import {
  DEAD_AFTER_SECONDS,
  type DueWork,
  type InboxStore,
  LONGEST_WAIT_SECONDS,
  MOST_TRIES,
  REMEMBERED_SECONDS,
  replicaIdOf,
  type WorkStore,
} from '#cluster';
import type { Row } from '#storage/sql/script';
import type { Database } from './database.ts';

export interface WorkOptions {
  /** DEAD_AFTER_SECONDS, except in tests that can't wait that long. */
  readonly deadAfterSeconds?: number;
}

/**
 * Each statement reads the clock once, with `clock_timestamp()`: what a server does after a pause,
 * however long, mustn't compare times from before it with times from after it.
 */
const CLOCK = 'clock AS MATERIALIZED (SELECT clock_timestamp() AS at)';
/**
 * The replica's own row, locked against concurrent deletion; no row if it is unknown. This lock
 * doesn't block its heartbeats.
 */
const SELF = 'self AS MATERIALIZED (SELECT id FROM replica WHERE id = $1 FOR KEY SHARE)';

/** $1 replica, $2 the longest gap between heartbeats of a healthy replica in seconds, $3 notices. */
const BEAT = `
  WITH ${CLOCK}
  INSERT INTO replica (id, steady_since, seen_at, notices) SELECT $1, at, at, $3 FROM clock
  ON CONFLICT (id) DO UPDATE SET
    seen_at = excluded.seen_at, notices = excluded.notices,
    steady_since = CASE
      WHEN replica.seen_at BETWEEN excluded.seen_at - make_interval(secs => $2)
        AND excluded.seen_at + make_interval(secs => $2)
      THEN replica.steady_since
      ELSE excluded.steady_since
    END`;

/**
 * $1 replica, $2 seconds. The replica must be healthy itself; one that sends a heartbeat right now
 * is skipped, because it is alive. A heartbeat from the future is from before the server's clock was set back:
 * the living have sent another since. It is compared with the clock as it is then, never with an earlier one.
 */
const BURY = `
  WITH ${CLOCK}, dead AS MATERIALIZED (
    SELECT replica.id FROM replica, clock, replica AS self
    WHERE self.id = $1
      AND self.steady_since <= clock.at - make_interval(secs => $2)
      AND self.seen_at >= clock.at - make_interval(secs => $2 / 2)
      AND (replica.seen_at < clock.at - make_interval(secs => $2)
        OR replica.seen_at > clock_timestamp() + make_interval(secs => $2))
    FOR UPDATE OF replica SKIP LOCKED
  )
  DELETE FROM replica USING dead WHERE replica.id = dead.id`;

/** $1 replica, $2 seconds, $3 the replica that it's a part of, or itself. Parts are no peers. */
const PULSE = `
  WITH ${CLOCK}, peer AS MATERIALIZED (
    SELECT id, notices FROM replica, clock
    WHERE id <> $3 AND id NOT LIKE '%/%' AND seen_at BETWEEN
      clock.at - make_interval(secs => $2) AND clock.at + make_interval(secs => $2)
  )
  SELECT
    (SELECT extract(epoch FROM at)::float8 FROM clock) AS at,
    ARRAY(SELECT name FROM claim WHERE replica = $1) AS claims,
    (SELECT coalesce(json_agg(json_build_object('kind', kind, 'name', name, 'state', state)), '[]')
      FROM work WHERE replica = $1) AS work,
    ARRAY(SELECT id FROM peer) AS peers,
    ARRAY(SELECT DISTINCT unnest(notices) FROM peer) AS notices`;

/** $1 replica, $2 claim. */
const HOLD = `
  WITH ${SELF}
  INSERT INTO claim (name, replica) SELECT $2, id FROM self
  ON CONFLICT (name) DO UPDATE SET replica = excluded.replica
    WHERE claim.replica = excluded.replica`;

/** $1 kind, $2 names. All replicas insert in the same order, so that they don't deadlock. */
const PLAN = `
  INSERT INTO work (kind, name, due_at)
  SELECT $1, name, clock_timestamp() FROM unnest($2::text[]) AS name ORDER BY name
  ON CONFLICT DO NOTHING`;

/** $1 kind, $2 names. */
const FORGET = `
  DELETE FROM work USING (
    SELECT name FROM work WHERE kind = $1 AND replica IS NULL AND name <> ALL ($2::text[])
    FOR UPDATE SKIP LOCKED
  ) AS old
  WHERE work.kind = $1 AND work.name = old.name`;

/**
 * $1 replica, $2 kind, $3 seconds: what is due later than that, by the clock as it is then, was finished before the
 * server's clock was set back.
 */
const TAKE = `
  WITH ${CLOCK}, ${SELF}, due AS MATERIALIZED (
    SELECT work.name, self.id AS replica FROM work, clock, self
    WHERE kind = $2 AND replica IS NULL
      AND (due_at <= clock.at OR due_at > clock_timestamp() + make_interval(secs => $3))
    ORDER BY due_at, name LIMIT 1
    FOR UPDATE OF work SKIP LOCKED
  )
  UPDATE work SET replica = due.replica FROM due
  WHERE work.kind = $2 AND work.name = due.name
  RETURNING work.kind, work.name, work.state`;

const FINISH = `
  UPDATE work SET replica = NULL, state = $5,
    due_at = clock_timestamp() + make_interval(secs => $4)
  WHERE kind = $1 AND name = $2 AND replica = $3`;

/** Who does what, using Postgres's clock and locks. */
export function createWorkStore(
  db: Database,
  { deadAfterSeconds = DEAD_AFTER_SECONDS }: WorkOptions = {},
): WorkStore {
  return {
    async beat(replica, notices = []) {
      await db.run(BEAT, [replica, deadAfterSeconds / 2, notices]);
      await db.run(BURY, [replica, deadAfterSeconds]);
      // Read it last: a heartbeat that revives a dead replica must not show it its former claims.
      const [row] = await db.rows(PULSE, [replica, deadAfterSeconds, replicaIdOf(replica)]);
      return {
        at: Number(row?.at),
        claims: row?.claims as string[],
        work: row?.work as DueWork[],
        peers: row?.peers as string[],
        notices: row?.notices as string[],
      };
    },
    async leave(replica) {
      await db.run('DELETE FROM replica WHERE id = $1', [replica]);
    },
    hold: async (claim, replica) => (await db.run(HOLD, [replica, claim])) === 1,
    async release(claim, replica) {
      await db.run('DELETE FROM claim WHERE name = $1 AND replica = $2', [claim, replica]);
    },
    async plan(kind, names) {
      await db.run(PLAN, [kind, names]);
      await db.run(FORGET, [kind, names]);
    },
    async takeDue(kind, replica) {
      const [row] = await db.rows(TAKE, [replica, kind, LONGEST_WAIT_SECONDS]);
      return row === undefined ? undefined : workOf(row);
    },
    async finish({ kind, name }, replica, dueInSeconds, state) {
      const seconds = Math.min(dueInSeconds, LONGEST_WAIT_SECONDS);
      await db.run(FINISH, [kind, name, replica, seconds, state]);
    },
  };
}

function workOf(row: Row): DueWork {
  return { kind: String(row.kind), name: String(row.name), state: String(row.state) };
}

/** $1 replica, $2 platform, $3 id, $4 body. */
const RECEIVE = `
  WITH ${SELF}, added AS (
    INSERT INTO delivery (platform, id, body, replica, tries, received_at)
    SELECT $2, $3, $4, id, 1, clock_timestamp() FROM self
    ON CONFLICT (platform, id) DO NOTHING
    RETURNING 1
  )
  SELECT (SELECT count(*) FROM self) AS known, (SELECT count(*) FROM added) AS added`;

/**
 * A delivery may arrive before the first heartbeat, or before the first after a pause. $1 replica.
 */
const APPEAR = `
  INSERT INTO replica (id, steady_since, seen_at)
  SELECT $1, at, at FROM clock_timestamp() AS at
  ON CONFLICT (id) DO NOTHING`;

const IS_HELD = `
  SELECT FROM delivery
  WHERE platform = $1 AND id = $2 AND replica = $3 AND settled_at IS NULL`;

const SETTLE = `
  UPDATE delivery SET body = NULL, replica = NULL, settled_at = clock_timestamp()
  WHERE platform = $1 AND id = $2 AND settled_at IS NULL`;

/** $1 platform, $2 maximum attempts. */
const GIVE_UP = `
  UPDATE delivery SET body = NULL, settled_at = clock_timestamp()
  WHERE platform = $1 AND replica IS NULL AND settled_at IS NULL AND tries >= $2`;

/** $1 replica, $2 platform, $3 maximum attempts, $4 limit. */
const TAKE_OVER = `
  WITH ${SELF}, left_over AS MATERIALIZED (
    SELECT delivery.platform, delivery.id, self.id AS replica FROM delivery, self
    WHERE platform = $2 AND replica IS NULL AND settled_at IS NULL AND tries < $3
    ORDER BY seq LIMIT $4
    FOR UPDATE OF delivery SKIP LOCKED
  ), taken AS (
    UPDATE delivery SET replica = left_over.replica, tries = tries + 1 FROM left_over
    WHERE delivery.platform = left_over.platform AND delivery.id = left_over.id
    RETURNING delivery.platform, delivery.id, delivery.body, delivery.seq
  )
  SELECT platform, id, body FROM taken ORDER BY seq`;

/** Deliveries that a replica has, and those that wait for one. $1 platform, $2 and $3 parts. */
const WAITING = `
  SELECT body FROM delivery
  WHERE replica IS NOT NULL AND settled_at IS NULL AND platform = $1
    AND strpos(body, $2) > 0 AND strpos(body, $3) > 0
  UNION ALL
  SELECT body FROM delivery
  WHERE replica IS NULL AND settled_at IS NULL AND platform = $1
    AND strpos(body, $2) > 0 AND strpos(body, $3) > 0`;

/** Counts from the answer, so that a changed clock never drops a delivery that waits. $1 seconds. */
const FORGET_DELIVERIES = `
  DELETE FROM delivery USING (SELECT clock_timestamp() - make_interval(secs => $1) AS at) AS before
  WHERE received_at < before.at AND settled_at < before.at`;

/** Deliveries that aren't answered yet, using Postgres's clock and locks. */
export function createInboxStore(db: Database): InboxStore {
  return {
    async receive({ platform, id, body }, replica) {
      const values = [replica, platform, id, body];
      const [first] = await db.rows(RECEIVE, values);
      if (first?.known === 1) return first.added === 1;
      await db.run(APPEAR, [replica]);
      const [second] = await db.rows(RECEIVE, values);
      return second?.added === 1;
    },
    isHeld: async (platform, id, replica) => (await db.run(IS_HELD, [platform, id, replica])) === 1,
    async settle(platform, id) {
      await db.run(SETTLE, [platform, id]);
    },
    async waiting(platform, parts) {
      return (await db.rows(WAITING, [platform, ...parts])).map(({ body }) => String(body));
    },
    async takeOver(platform, replica, limit) {
      await db.run(FORGET_DELIVERIES, [REMEMBERED_SECONDS]);
      await db.run(GIVE_UP, [platform, MOST_TRIES]);
      const rows = await db.rows(TAKE_OVER, [replica, platform, MOST_TRIES, limit]);
      return rows.map(({ id, body }) => ({ platform, id: String(id), body: String(body) }));
    },
  };
}
