import { renameSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Outage, readiness } from '#app/readiness';
import { ProblemLog } from '#base/log';
import { readStandings } from '#gating/decide/verdict';
import type { ReputationSource } from '#reputation/reputation-source';
import { Standings } from '#reputation/standings/standings';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openStore } from '#storage';
import type { Store } from '#storage/store';
import { testApi } from '../support/api.ts';
import { activityOf, batchOf, ETH_A, ETH_B, writeTo } from '../support/ledger.ts';
import { silentLog } from '../support/log.ts';
import { patienceMs } from '../support/patience.ts';
import { refreshed } from '../support/refreshed.ts';
import { fileOf, STORE_KINDS, type StoreKind, storePlaces } from '../support/store-places.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

/** Whatever keeps a follower from showing all commits, everyone who shows its data says so. */

const places = storePlaces();
const WAIT = { timeout: patienceMs(), interval: 50 };

/** How far the monotonic clock is ahead of the real one, in milliseconds. */
let ahead: number;
beforeEach(() => {
  ahead = 0;
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
});
afterEach(() => vi.restoreAllMocks());

async function open(url: string): Promise<Store> {
  const store = await openStore(url, { thresholds: DEFAULT_THRESHOLDS, log: silentLog });
  onTestFinished(async () => {
    await store.close();
  });
  return store;
}

async function writeTen(store: Store, key: string): Promise<void> {
  await writeTo(store, batchOf({ activities: [activityOf(ETH_A, key)] }));
}

async function scoreOf(source: ReputationSource): Promise<number | undefined> {
  return (await source.reading().reputation(ETH_A))?.score;
}

/** What all users of the data report: /v1, gating, and /readyz. */
async function toldBy(store: Store, source: ReputationSource) {
  const api = await testApi({ source });
  const answer = await api.get(`/v1/reputation/${ETH_A.address}`);
  await api.close();
  const read = await readStandings(source, [ETH_A]);
  const parts = {
    ...{ store, upstream: undefined, chats: undefined, redis: undefined },
    scoring: undefined,
    webhooks: undefined,
  };
  const { ready, checks } = await readiness({
    ...parts,
    isCutOff: () => false,
    differs: () => [],
    clockFault: () => undefined,
    trouble: new ProblemLog(silentLog),
    outage: new Outage(),
  });
  return {
    v1: answer.headers.get('reputation-status'),
    roles: 'unknown' in read ? read.unknown : 'known',
    ready,
    data: checks.data?.ok,
  };
}

const FRESH = { v1: 'fresh', roles: 'known', ready: true, data: true };
const STALE = { v1: 'stale', roles: 'stale', ready: false, data: false };

describe.each(STORE_KINDS)('a follower in %s', (kind: StoreKind) => {
  it('that meets a fault reloads everything, and shows nothing as fresh until then', async () => {
    const store = await open(await places.newStore(kind));
    const source = await store.openSource();
    await writeTen(store, 'a');
    await refreshed(store);
    await expect.poll(() => toldBy(store, source), WAIT).toEqual(FRESH);

    // In the middle of a wallet, and again during the reload.
    const apply = vi.spyOn(Standings.prototype, 'apply').mockImplementation(() => {
      throw new TypeError('a bug');
    });
    const load = vi.spyOn(Standings.prototype, 'rankAll').mockImplementation(() => {
      throw new TypeError('another bug');
    });
    await writeTen(store, 'b');
    await expect(store.refresh()).rejects.toThrow();
    expect(await toldBy(store, source)).toEqual(STALE);
    expect(store.figures().isStuck).toBe(true);
    await expect(store.refresh()).rejects.toThrow();
    expect(await toldBy(store, source)).toEqual(STALE);

    apply.mockRestore();
    load.mockRestore();
    await expect.poll(() => scoreOf(source), WAIT).toBe(20);
    await refreshed(store);
    await expect.poll(() => toldBy(store, source), WAIT).toEqual(FRESH);
    await writeTen(store, 'c');
    await refreshed(store);
    expect(await scoreOf(source)).toBe(30);
  });

  it('with unscored evidence shows nothing as fresh, but stays ready', async () => {
    const store = await open(await places.newStore(kind));
    const source = await store.openSource();
    await writeTen(store, 'a');
    await refreshed(store);
    await expect.poll(() => toldBy(store, source), WAIT).toEqual(FRESH);
    store.markUnscored('rules', true);
    store.markUnscored('sources', true);
    expect(await toldBy(store, source)).toEqual({ ...FRESH, v1: 'stale', roles: 'stale' });
    // Further commits don't fix it.
    await writeTen(store, 'b');
    await refreshed(store);
    expect(await toldBy(store, source)).toEqual({ ...FRESH, v1: 'stale', roles: 'stale' });
    store.markUnscored('rules', false);
    expect(await toldBy(store, source)).toEqual({ ...FRESH, v1: 'stale', roles: 'stale' });
    store.markUnscored('sources', false);
    await expect.poll(() => toldBy(store, source), WAIT).toEqual(FRESH);
  });

  it('that finds a row of an unknown wallet shows no score from it', async () => {
    const url = await places.newStore(kind);
    const store = await open(url);
    const source = await store.openSource();
    // As if the wallets had been read before the commit, and the rows after it.
    vi.spyOn(Standings.prototype, 'addWallet').mockImplementationOnce(() => undefined);
    await writeTo(store, batchOf({ activities: [activityOf(ETH_A, 'a'), activityOf(ETH_B, 'b')] }));
    await refreshed(store);
    for (const wallet of [ETH_A, ETH_B]) {
      expect(await source.reading().reputation(wallet)).toMatchObject({ score: 10, rank: 1 });
    }
    await expect.poll(() => toldBy(store, source), WAIT).toEqual(FRESH);
  });

  it("that is up to date is fresh, however wrong an importer's clock is", async () => {
    const url = await places.newStore(kind);
    const [store, importer] = [await open(url), await open(url)];
    const source = await store.openSource();
    for (const [i, seconds] of [-3_600, 3_600].entries()) {
      const real = Date.now;
      const clock = vi.spyOn(Date, 'now').mockImplementation(() => real() + seconds * 1_000);
      await writeTen(importer, `k${i}`);
      clock.mockRestore();
      await refreshed(store);
      await expect.poll(() => store.figures().lagSeconds, WAIT).toBe(0);
      await expect.poll(() => toldBy(store, source), WAIT).toEqual(FRESH);
    }
  });
});

describe('a follower in Postgres', () => {
  let store: Store;
  let importer: Store;
  let source: ReputationSource;
  let proxy: TcpProxy;

  beforeEach(async () => {
    const url = await places.newStore('postgres');
    proxy = await startTcpProxy(places.cluster.port);
    const behind = new URL(url);
    behind.port = String(proxy.port);
    [store, importer] = [await open(behind.href), await open(url)];
    source = await store.openSource();
    await writeTen(importer, 'a');
    await refreshed(store);
    return () => proxy.close();
  });

  /** The follower's queries for new data have to wait; all others are answered. */
  function hold() {
    const reached = Promise.withResolvers<void>();
    const opened = Promise.withResolvers<void>();
    proxy.onSend((text) => {
      if (!text.includes('REPEATABLE READ')) return Promise.resolve();
      reached.resolve();
      return opened.promise;
    });
    return { reached: reached.promise, open: opened.resolve };
  }

  it.each([
    ['behind', -3_600_000],
    ['ahead', 3_600_000],
  ])(
    'of an importer whose clock is %s is stale after ten seconds, and not before',
    async (_, by) => {
      const gate = hold();
      const real = Date.now;
      const clock = vi.spyOn(Date, 'now').mockImplementation(() => real() + by);
      await writeTen(importer, 'b');
      clock.mockRestore();
      await gate.reached;
      expect(store.figures().lagSeconds).toBeLessThan(10);
      ahead += 11_000;
      expect(await toldBy(store, source)).toEqual(STALE);
      expect(store.figures().lagSeconds).toBeGreaterThanOrEqual(11);
      expect(await scoreOf(source)).toBe(10);
      gate.open();
      await expect.poll(() => toldBy(store, source), WAIT).toEqual(FRESH);
      expect(await scoreOf(source)).toBe(20);
    },
  );
});

it("a SQLite file replaced while it's served is stale until a restart", async () => {
  const url = await places.newStore('sqlite');
  const store = await open(url);
  const source = await store.openSource();
  await writeTen(store, 'a');
  await refreshed(store);
  const other = await places.newStore('sqlite');
  await (await openStore(other, { thresholds: DEFAULT_THRESHOLDS, log: silentLog })).close();
  renameSync(fileOf(other), fileOf(url));
  ahead += 11_000;
  expect(await toldBy(store, source)).toEqual(STALE);
  const gone = /deleted or replaced while in use. Restart/;
  await expect(store.refresh()).rejects.toThrow(gone);
  // What is written to the old file would be lost, in a transaction or without one.
  await expect(writeTen(store, 'b')).rejects.toThrow(gone);
  await expect(async () => await store.keys.revoke('k')).rejects.toThrow(gone);
});

it('an idle SQLite store is fresh after a pause in which nothing could run', async () => {
  const store = await open(await places.newStore('sqlite'));
  const source = await store.openSource();
  await writeTen(store, 'a');
  await refreshed(store);
  ahead += 60_000;
  await expect.poll(() => toldBy(store, source), WAIT).toEqual(FRESH);
});
