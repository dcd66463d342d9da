import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { RetryableError } from '#base/errors';
import { withinAwake } from '#base/waiting/waits';
import { connect } from '#storage/postgres/connection';
import { openDatabase } from '#storage/postgres/database';
import { type Cluster, startCluster } from '../../bench/servers/postgres/cluster.ts';
import { silentLog } from '../support/log.ts';
import { patienceMs } from '../support/patience.ts';

/** Of a connection that nothing holds up, which is tried three times. */
const LIMIT_MS = patienceMs(500);

let cluster: Cluster;
let url: string;

beforeAll(async () => {
  cluster = await startCluster();
  url = await cluster.createDatabase();
});
afterAll(() => cluster.remove());

/** Holds this process up for longer than any limit here, as a busy machine does. */
function holdUp(): void {
  for (const end = performance.now() + 2 * LIMIT_MS; performance.now() < end; );
}

function opened() {
  const onAway = vi.fn();
  const db = openDatabase(url, silentLog, { connectMs: LIMIT_MS, answerMs: LIMIT_MS, onAway });
  onTestFinished(() => db.close());
  return { db, onAway };
}

it('A pool that was held up while it connected connects again', async () => {
  const { db, onAway } = opened();
  const asked = db.rows('SELECT 1 AS one');
  holdUp();
  expect(await asked).toEqual([{ one: 1 }]);
  expect(onAway).not.toHaveBeenCalled();
});

it('A connection of its own that was held up while it was made is made again', async () => {
  const connecting = connect(url, { answerMs: 0, connectMs: LIMIT_MS });
  holdUp();
  const connection = await connecting;
  expect(await connection.rows('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await connection.close();
});

it('A query whose answer was kept from this process is no sign of a silent database', async () => {
  const { db, onAway } = opened();
  await db.rows('SELECT 1');
  const heldUp: unknown = await db
    .transaction(async (queries) => {
      // Sent at once, as the connection is there.
      const asked = queries.rows('SELECT 1');
      holdUp();
      await asked;
    })
    .catch((error: unknown) => error);
  expect(heldUp).toBeInstanceOf(RetryableError);
  expect(onAway).not.toHaveBeenCalled();
  expect(await db.rows('SELECT 1 AS one')).toEqual([{ one: 1 }]);

  cluster.freeze();
  onTestFinished(() => cluster.thaw());
  // Now and then a busy machine holds this process up here, too, and then nothing is shown.
  await vi.waitFor(
    async () => {
      const silent: unknown = await db.rows('SELECT 1').catch((error: unknown) => error);
      expect(silent).toBeInstanceOf(RetryableError);
      expect((silent as Error).message).not.toBe((heldUp as Error).message);
    },
    { timeout: patienceMs(), interval: 1 },
  );
  expect(onAway).toHaveBeenCalled();
});

it('A wait goes on for as long as this process was held up, and no longer', async () => {
  const late = () => 'late' as const;
  // Arrives after timers, as answers do.
  const arrives = new Promise<string>((resolve) => {
    setImmediate(() => setImmediate(() => resolve('there')));
  });
  const waiting = withinAwake(arrives, LIMIT_MS, late);
  holdUp();
  expect(await waiting).toBe('there');
  const vain = withinAwake(new Promise(() => undefined), LIMIT_MS, late);
  holdUp();
  expect(await vain).toBe('late');
});
