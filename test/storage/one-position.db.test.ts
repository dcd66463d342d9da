import { expect, it, onTestFinished } from 'vitest';
import type { BadgeList } from '#reputation/api-records';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openStore } from '#storage';
import { testApi } from '../support/api.ts';
import { activityOf, badgeNamed, batchOf, ETH_A, writeTo } from '../support/ledger.ts';
import { silentLog } from '../support/log.ts';
import { refreshed } from '../support/refreshed.ts';
import { STORE_KINDS, type StoreKind, storePlaces } from '../support/store-places.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

const places = storePlaces();

/** A store whose follower can be held up; in SQLite nothing runs between a commit and a test's read. */
async function served(kind: StoreKind, url: string) {
  const location = new URL(url);
  let hold = () => () => {};
  if (kind === 'postgres') {
    const proxy = await startTcpProxy(places.cluster.port);
    onTestFinished(() => proxy.close());
    location.port = String(proxy.port);
    hold = () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const isOfFollower = /REPEATABLE READ|known_uid/;
      proxy.onSend((text) => (isOfFollower.test(text) ? promise : Promise.resolve()));
      return resolve;
    };
  }
  const options = { thresholds: DEFAULT_THRESHOLDS, log: silentLog };
  const [store, importer] = [
    await openStore(kind === 'postgres' ? location.href : url, options),
    await openStore(url, options),
  ];
  onTestFinished(async () => {
    await store.close();
    await importer.close();
  });
  return { store, importer, hold: () => hold() };
}

it.each(STORE_KINDS)(
  'Badges from %s have the texts, the times and the tag of what is shown elsewhere',
  async (kind) => {
    const { store, importer, hold } = await served(kind, await places.newStore(kind));
    const source = await store.openSource();
    const earned = (key: string, timestamp: number) =>
      activityOf(ETH_A, key, { badge: 'voter', timestamp });
    await writeTo(
      importer,
      batchOf({ badges: [badgeNamed('voter')], activities: [earned('b', 2_000)] }),
    );
    await refreshed(store);
    const api = await testApi({ source });
    const badgesNow = async () => {
      const answer = await api.get(`/v1/badges/${ETH_A.address}`);
      return { etag: answer.headers.get('etag'), body: (await answer.json()) as BadgeList };
    };
    const known = await badgesNow();

    const goOn = hold();
    const reading = source.reading();
    const texts = badgeNamed('voter', { name: 'Renamed', description: 'Another text' });
    const writer = importer.openWriter();
    void writer.stage(batchOf({ badges: [texts], activities: [earned('a', 1_000)] }));
    const committed = writer.commit();
    // In SQLite it has happened by now, and the follower couldn't run yet.
    if (committed instanceof Promise) await committed;
    const found = reading.badges(ETH_A);
    const list = found instanceof Promise ? await found : found;
    const { revision } = reading;
    expect(list).toEqual(known.body);
    expect(list?.badges).toMatchObject([{ name: 'Badge voter', earnedAt: '1970-01-01T00:33:20Z' }]);
    expect(known.etag).toContain(revision);
    goOn();
    await refreshed(store);
    const after = await badgesNow();
    expect(after.body.badges).toMatchObject([
      { name: 'Renamed', description: 'Another text', earnedAt: '1970-01-01T00:16:40Z' },
    ]);
    expect(after.etag).not.toBe(known.etag);
  },
);
