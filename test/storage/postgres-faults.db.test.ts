import { setTimeout as sleep } from 'node:timers/promises';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
  vi,
} from 'vitest';
import { RetryableError } from '#base/errors';
import type { LedgerActivity } from '#reputation/activity';
import type { ReputationSource } from '#reputation/reputation-source';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openStore } from '#storage';
import type { Store } from '#storage/store';
import { type Cluster, type Standby, startCluster } from '../../bench/servers/postgres/cluster.ts';
import {
  activityOf,
  badgeNamed,
  batchOf,
  ETH_A,
  ETH_B,
  SOL_A,
  writeTo,
} from '../support/ledger.ts';
import { silentLog } from '../support/log.ts';
import { patienceMs } from '../support/patience.ts';
import { queryDatabase } from '../support/postgres/database.ts';
import { createMigratedDatabase } from '../support/postgres/migrated.ts';
import { refreshed } from '../support/refreshed.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

const WAIT = { timeout: patienceMs(), interval: 50 };

let cluster: Cluster;
let url: string;
/** That of the test before. */
let last: string | undefined;
let unhandled: unknown[];
const note = (error: unknown) => void unhandled.push(error);

beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.remove());
beforeEach(async () => {
  unhandled = [];
  process.on('unhandledRejection', note);
  process.on('uncaughtException', note);
  // The test before may have left it killed.
  if (!isRunning()) await cluster.start();
  // Standbys copy all there is.
  if (last !== undefined) await dropDatabase(last);
  url = await createMigratedDatabase(cluster);
  last = url;
});
afterEach(() => {
  process.off('unhandledRejection', note);
  process.off('uncaughtException', note);
  expect(unhandled).toEqual([]);
});

async function dropDatabase(at: string): Promise<void> {
  const other = new URL(at);
  other.pathname = '/postgres';
  await queryDatabase(other.href, `DROP DATABASE ${new URL(at).pathname.slice(1)} WITH (FORCE)`);
}

function isRunning(): boolean {
  try {
    return cluster.pid > 0;
  } catch {
    return false;
  }
}

async function open(at = url, readUrl?: string): Promise<Store> {
  const store = await openStore(at, { thresholds: DEFAULT_THRESHOLDS, log: silentLog, readUrl });
  onTestFinished(async () => {
    await store.close();
  });
  return store;
}

async function scoreOf(source: ReputationSource): Promise<number | undefined> {
  return (await source.reading().reputation(ETH_A))?.score;
}

/** How many activities are listed for the wallet, or why that's unknown. */
async function listedOf(source: ReputationSource): Promise<number | string | undefined> {
  try {
    return (await source.reading().activity(ETH_A, 9))?.activities.length;
  } catch (error) {
    return String(error);
  }
}

async function isStale(source: ReputationSource): Promise<boolean> {
  const reading = source.reading();
  await reading.reputation(ETH_A);
  return reading.isStale;
}

function tenPoints(key: string): LedgerActivity {
  return activityOf(ETH_A, key, { badge: 'voter' });
}

/** A serving store, with one activity of a wallet that earned a badge. */
async function served(store: Store): Promise<ReputationSource> {
  const source = await store.openSource();
  await writeTo(store, batchOf({ badges: [badgeNamed('voter')], activities: [tenPoints('a')] }));
  await refreshed(store);
  expect(await scoreOf(source)).toBe(10);
  return source;
}

it("one replica's commit is shown by another", async () => {
  const [reader, writer] = [await open(), await open()];
  const source = await reader.openSource();
  await writeTo(
    writer,
    batchOf({
      badges: [badgeNamed('voter')],
      names: [{ wallet: ETH_A, displayName: 'alice' }],
      activities: [tenPoints('a'), activityOf(SOL_A, 'b')],
    }),
  );
  await expect.poll(() => scoreOf(source), WAIT).toBe(10);
  const page = async () =>
    (await source.reading().leaderboard({ chain: 'all', limit: 1, offset: 0 })).leaderboard[0];
  await expect.poll(page, WAIT).toMatchObject({ displayName: 'alice', badges: 1 });
});

it('two replicas that got there differently show one revision and the same data', async () => {
  const writer = await open();
  const early = await (await open()).openSource();
  for (let i = 0; i < 5; i++) {
    const key = `k${i}`;
    await writeTo(
      writer,
      batchOf({
        badges: [badgeNamed('voter', { name: key })],
        names: [{ wallet: ETH_A, displayName: key }],
        activities: [tenPoints(key)],
      }),
    );
  }
  const late = await (await open()).openSource();
  await expect.poll(() => early.reading().revision, WAIT).toBe(late.reading().revision);
  const query = { chain: 'all', limit: 9, offset: 0 } as const;
  expect(await early.reading().leaderboard(query)).toEqual(await late.reading().leaderboard(query));
  expect(await early.reading().reputation(ETH_A)).toEqual(await late.reading().reputation(ETH_A));
  expect(await early.reading().badges(ETH_A)).toEqual(await late.reading().badges(ETH_A));
});

it.each([
  ['killed', 'kill'],
  ['restarted for an update', 'stop'],
] as const)(
  'with a server that is %s, ranks are still shown, and everything recovers',
  async (_, end) => {
    const store = await open();
    const source = await served(store);
    await cluster[end]();
    expect(await scoreOf(source)).toBe(10);
    expect((await source.reading().badges(ETH_A))?.total).toBe(1);
    await expect(async () => source.reading().activity(ETH_A, 9)).rejects.toThrow(RetryableError);
    await expect(async () => store.check()).rejects.toThrow(RetryableError);
    await expect(async () =>
      writeTo(store, batchOf({ activities: [tenPoints('b')] })),
    ).rejects.toThrow(RetryableError);
    await expect.poll(() => isStale(source), WAIT).toBe(true);
    await expect.poll(() => store.figures().lagSeconds, WAIT).toBeGreaterThan(0);
    await cluster.start();
    await expect.poll(() => isStale(source), WAIT).toBe(false);
    await expect.poll(() => listedOf(source), WAIT).toBe(1);
    await vi.waitFor(() => store.check(), WAIT);
    await expect
      .poll(() => writeTo(store, batchOf({ activities: [tenPoints('b')] })).catch(String), WAIT)
      .toEqual({ added: 1, known: 0 });
    // Either LISTEN is restored, or the poll sees it.
    await expect.poll(() => scoreOf(source), WAIT).toBe(20);
  },
);

it.each<[string, (store: Store, source: ReputationSource) => unknown]>([
  ['of a visitor', (_, source) => source.reading().activity(ETH_A, 9)],
  ['of the follower', (store) => store.refresh()],
])('one query %s without a response makes ranks stale at once', async (_, ask) => {
  const store = await open();
  const source = await served(store);
  await cluster.kill();
  await expect(async () => ask(store, source)).rejects.toThrow(RetryableError);
  // Answered from memory, so before anything else was noticed.
  expect(await isStale(source)).toBe(true);
  await cluster.start();
  await expect.poll(() => isStale(source), WAIT).toBe(false);
});

it('A frozen Postgres makes ranks stale and lists unavailable, and a thaw fixes all', async () => {
  const store = await open();
  const source = await served(store);
  cluster.freeze();
  try {
    const refused = expect(async () => source.reading().activity(ETH_A, 9)).rejects.toThrow(
      RetryableError,
    );
    await expect(async () => store.check()).rejects.toThrow(RetryableError);
    await expect.poll(() => isStale(source), WAIT).toBe(true);
    expect(await scoreOf(source)).toBe(10);
    const ageSeconds = async () => {
      const reading = source.reading();
      await reading.reputation(ETH_A);
      return reading.ageSeconds;
    };
    await expect.poll(ageSeconds, WAIT).toBeGreaterThanOrEqual(3);
    await refused;
  } finally {
    cluster.thaw();
  }
  await expect.poll(() => isStale(source), WAIT).toBe(false);
  await expect.poll(() => listedOf(source), WAIT).toBe(1);
});

describe('a standby that takes over at the same address', () => {
  let standby: Standby;
  let address: string;
  let lead: () => void;

  beforeEach(async () => {
    const proxy = await startTcpProxy(cluster.port);
    standby = await cluster.addStandby();
    const behind = new URL(url);
    behind.port = String(proxy.port);
    address = behind.href;
    lead = () => proxy.leadTo(standby.port);
    return async () => {
      await proxy.close();
      await standby.remove();
    };
  });

  async function takeOver(): Promise<void> {
    await cluster.kill();
    await standby.promote();
    lead();
  }

  const atStandby = (text: string) => queryDatabase(standby.urlOf(url), text);

  it('A standby that takes over at the same address with nothing lost keeps the position', async () => {
    const store = await open(address);
    const source = await served(store);
    const { revision } = source.reading();
    await expect.poll(async () => (await atStandby('SELECT FROM batch')).length, WAIT).toBe(1);
    await takeOver();
    await expect
      .poll(
        () =>
          store.refresh().then(
            () => 'mended',
            () => 'not yet',
          ),
        WAIT,
      )
      .toBe('mended');
    expect(source.reading().revision).toBe(revision);
    await expect
      .poll(() => writeTo(store, batchOf({ activities: [tenPoints('b')] })).catch(String), WAIT)
      .toEqual({ added: 1, known: 0 });
    await expect.poll(() => scoreOf(source), WAIT).toBe(20);
  });

  it('A standby that takes over at the same address with lost commits is reported by an import that crosses it, which commits nothing more', async () => {
    const writer = (await open(address)).openWriter();
    const write = async (key: string) => {
      await writer.stage(batchOf({ activities: [activityOf(ETH_A, key)] }));
      return writer.commit();
    };
    await write('a');
    await expect.poll(async () => (await atStandby('SELECT FROM batch')).length, WAIT).toBe(1);
    await standby.stop();
    await write('lost');
    await cluster.kill();
    await standby.start();
    await standby.promote();
    lead();
    await writer.stage(batchOf({ activities: [activityOf(ETH_A, 'b')] }));
    const codeOfCommit = async () => {
      const error = await Promise.try(() => writer.commit()).catch((thrown: unknown) => thrown);
      return error instanceof RetryableError ? 'not yet' : error;
    };
    await expect.poll(codeOfCommit, WAIT).toMatchObject({ code: 'commits-lost' });
    expect(await atStandby('SELECT id FROM batch')).toEqual([{ id: '1' }]);
  });

  it('A standby that takes over at the same address with lost commits reloads everything, and no revision is used twice', async () => {
    const store = await open(address);
    const source = await served(store);
    await expect.poll(async () => (await atStandby('SELECT FROM batch')).length, WAIT).toBe(1);
    await standby.stop();
    const lost = [activityOf(ETH_A, 'lost', { points: 500 }), activityOf(ETH_B, 'x')];
    await writeTo(store, batchOf({ activities: lost }));
    await refreshed(store);
    expect(await scoreOf(source)).toBe(510);
    const { revision } = source.reading();
    await cluster.kill();
    await standby.start();
    await standby.promote();
    lead();
    await expect.poll(() => scoreOf(source), WAIT).toBe(10);
    expect(await source.reading().reputation(ETH_B)).toBeUndefined();
    // As many rows in as many batches as before.
    const others = [activityOf(ETH_A, 'other'), activityOf(SOL_A, 'x')];
    await expect
      .poll(() => writeTo(store, batchOf({ activities: others })).catch(String), WAIT)
      .toEqual({ added: 2, known: 0 });
    await expect.poll(() => scoreOf(source), WAIT).toBe(20);
    expect(source.reading().revision).not.toBe(revision);
    expect((await source.reading().activity(ETH_A, 9))?.activities).toHaveLength(2);
  });
});

it('a server that takes seconds to wake up is waited for at the start', async () => {
  cluster.freeze();
  const opening = open();
  await sleep(3_000);
  cluster.thaw();
  expect((await (await opening).openSource()).reading().isStale).toBe(false);
});

describe('a read replica', () => {
  it("A read replica that lags doesn't answer what it doesn't have", async () => {
    const standby = await cluster.addStandby();
    onTestFinished(() => standby.remove());
    const copyUrl = standby.urlOf(url);
    const store = await open(url, copyUrl);
    const source = await served(store);
    await queryDatabase(copyUrl, 'SELECT pg_wal_replay_pause()');
    await writeTo(
      store,
      batchOf({
        badges: [badgeNamed('diver')],
        activities: [tenPoints('b'), activityOf(ETH_B, 'c', { badge: 'diver' })],
      }),
    );
    await expect.poll(() => scoreOf(source), WAIT).toBe(20);
    expect((await source.reading().activity(ETH_A, 9))?.activities).toHaveLength(2);
    expect((await source.reading().activity(ETH_B, 9))?.activities).toHaveLength(1);
    await queryDatabase(copyUrl, 'SELECT pg_wal_replay_resume()');
    expect((await source.reading().activity(ETH_A, 9))?.activities).toHaveLength(2);
  });

  it('A read replica that is away or frozen costs no answer', async () => {
    const standby = await cluster.addStandby();
    const store = await open(url, standby.urlOf(url));
    const source = await served(store);
    expect(await listedOf(source)).toBe(1);
    standby.freeze();
    expect(await listedOf(source)).toBe(1);
    standby.thaw();
    await standby.remove();
    expect(await listedOf(source)).toBe(1);
    await expect.poll(() => isStale(source), WAIT).toBe(false);
  });

  it('answers while the primary is away', async () => {
    const standby = await cluster.addStandby();
    onTestFinished(() => standby.remove());
    const store = await open(url, standby.urlOf(url));
    const source = await served(store);
    const onCopy = async () =>
      (await queryDatabase(standby.urlOf(url), 'SELECT FROM batch')).length;
    await expect.poll(onCopy, WAIT).toBe(1);
    await cluster.kill();
    await expect.poll(() => listedOf(source), WAIT).toBe(1);
  });
});
