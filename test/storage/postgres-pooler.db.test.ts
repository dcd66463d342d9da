import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { RetryableError, UserError } from '#base/errors';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openStore } from '#storage';
import { isPooled } from '#storage/postgres/connection';
import { findStore } from '#storage/transfer';
import { type Cluster, startCluster } from '../../bench/servers/postgres/cluster.ts';
import { TestLog } from '../support/api.ts';
import { activityOf, batchOf, ETH_A, writeTo } from '../support/ledger.ts';
import { silentLog } from '../support/log.ts';
import { patienceMs } from '../support/patience.ts';
import { queryDatabase } from '../support/postgres/database.ts';
import { missingPooler, type Pooler, startPooler } from '../support/postgres/pooler.ts';

const WAIT = { timeout: patienceMs(), interval: 50 };
const SKIPPED = missingPooler === undefined ? '' : ` (skipped: ${missingPooler})`;

const open = (url: string) => openStore(url, { thresholds: DEFAULT_THRESHOLDS, log: silentLog });

describe.skipIf(missingPooler)(`behind PgBouncer${SKIPPED}`, () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster.remove());

  describe('in session mode', () => {
    let pooler: Pooler;
    beforeAll(async () => {
      pooler = await startPooler(cluster, 'session');
    });
    afterAll(() => pooler.remove());

    // Contracts are held to behind it every night.
    it('what another program writes is noticed, even after the pooler was killed', async () => {
      const url = await cluster.createDatabase();
      const [here, there] = [await open(pooler.urlOf(url)), await open(url)];
      onTestFinished(async () => {
        await Promise.all([here.close(), there.close()]);
      });
      const source = await here.openSource();
      const score = async () => (await source.reading().reputation(ETH_A))?.score;
      await writeTo(there, batchOf({ activities: [activityOf(ETH_A, 'a', { points: 10 })] }));
      await expect.poll(score, WAIT).toBe(10);
      await pooler.kill();
      await writeTo(there, batchOf({ activities: [activityOf(ETH_A, 'b', { points: 5 })] }));
      await pooler.start();
      await expect.poll(score, WAIT).toBe(15);
      // Asked of the database itself, over new connections.
      const activities = async () => (await source.reading().activity(ETH_A, 5))?.total;
      await expect.poll(() => activities().catch(() => undefined), WAIT).toBe(2);
    });
  });

  it.each([
    ['has no connection left', 'default_pool_size = 1', /pooler/],
    ['takes no more clients', 'max_client_conn = 1', /max_client_conn/],
  ])(
    'a pooler that %s is named, not taken for a database that is down',
    async (_, limit, words) => {
      const pooler = await startPooler(cluster, 'session', limit);
      onTestFinished(() => pooler.remove());
      const url = pooler.urlOf(await cluster.createDatabase());
      const holder = new pg.Client(url);
      await holder.connect();
      onTestFinished(() => holder.end());
      const error = await isPooled(url, { answerMs: 1_000, connectMs: 1_000 }).catch((e) => e);
      expect(error).toBeInstanceOf(RetryableError);
      expect(error.message).toMatch(words);
    },
  );

  async function startRefused(): Promise<Pooler> {
    const pooler = await startPooler(cluster, 'transaction');
    onTestFinished(() => pooler.remove());
    return pooler;
  }

  /** What a program that shares the pooler's connections finds. */
  async function pathOfStranger(url: string): Promise<unknown> {
    const stranger = new pg.Client(url);
    await stranger.connect();
    const { rows } = await stranger.query('SHOW search_path');
    await stranger.end();
    return rows[0]?.search_path;
  }

  it("in transaction mode it's rejected, and nothing is changed", async () => {
    const pooler = await startRefused();
    const url = await cluster.createDatabase();
    const refused = await open(pooler.urlOf(url)).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(UserError);
    expect((refused as Error).message).toMatch(/pooler .*session mode/);
    expect(await pathOfStranger(pooler.urlOf(url))).toBe('"$user", public');
    const { kind, location } = await findStore(pooler.urlOf(url));
    await expect(kind.inspect(location)).rejects.toThrow(/session mode/);
    expect(await queryDatabase(url, `SELECT FROM pg_namespace WHERE nspname = 'fathom'`)).toEqual(
      [],
    );
  });

  it("in transaction mode before a read replica it isn't used, and a start continues without", async () => {
    const pooler = await startRefused();
    const url = await cluster.createDatabase();
    const log = new TestLog();
    const readUrl = pooler.urlOf(url);
    const store = await openStore(url, { thresholds: DEFAULT_THRESHOLDS, log, readUrl });
    onTestFinished(async () => void (await store.close()));
    await writeTo(store, batchOf({ activities: [activityOf(ETH_A, 'a')] }));
    const source = await store.openSource();
    const told = log.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
    expect(told).toEqual([expect.stringMatching(/^Not using the read replica: .*session mode/)]);
    expect((await source.reading().activity(ETH_A, 5))?.total).toBe(1);
    expect(await pathOfStranger(readUrl)).toBe('"$user", public');
  });
});
