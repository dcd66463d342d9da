import { type InboxStore, MOST_TRIES, REMEMBERED_SECONDS } from '#cluster';
import type { Database } from '#storage/postgres/database';
import { SELF } from './work.ts';

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

const FORGET = `
  DELETE FROM delivery WHERE received_at < clock_timestamp() - make_interval(secs => $1)`;

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
    async takeOver(platform, replica, limit) {
      await db.run(FORGET, [REMEMBERED_SECONDS]);
      await db.run(GIVE_UP, [platform, MOST_TRIES]);
      const rows = await db.rows(TAKE_OVER, [replica, platform, MOST_TRIES, limit]);
      return rows.map(({ id, body }) => ({ platform, id: String(id), body: String(body) }));
    },
  };
}
