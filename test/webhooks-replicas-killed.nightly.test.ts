import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import type { ChangeFeed } from '#reputation/changes';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openStore } from '#storage';
import type { Store } from '#storage/store';
import { eventsOf, type WebhookSettings } from '#webhooks/webhook';
import { startCluster } from '../bench/servers/postgres/cluster.ts';
import { ALL_WALLETS, activityOf, batchOf } from './support/ledger.ts';
import { silentLog } from './support/log.ts';
import { patienceMs } from './support/patience.ts';
import { createMigratedDatabase } from './support/postgres/migrated.ts';
import { randomFractions } from './support/random.ts';
import { refreshed } from './support/refreshed.ts';
import { type Service, startService } from './support/service.ts';
import { startReceiver } from './support/webhook-receiver.ts';

const REPLICAS = [0, 1, 2] as const;
const SECRET = 'whsec_dGhpcyBpcyBhIHNlY3JldCBvZiAzMiBieXRlcyAhISE=';
const SETTINGS: Omit<WebhookSettings, 'url'> = {
  ...{ events: ['tier.changed', 'score.changed'], chain: 'all', minTier: undefined },
};
const WAIT = { timeout: patienceMs(120_000), interval: 100 };

/** Commits a change of each wallet, again and again. */
async function importUntil(stopping: AbortSignal, store: Store): Promise<void> {
  for (let i = 1; !stopping.aborted; i += 1) {
    const activities = ALL_WALLETS.map((wallet, n) =>
      activityOf(wallet, i.toString(32), { points: (i * (n + 3)) % 900 }),
    );
    const writer = store.openWriter();
    await writer.stage(batchOf({ activities }));
    await writer.commit();
    await writer.finish();
    await sleep(100);
  }
}

/** Names of a wallet's events, in the order of the feed. */
async function eventsByWallet(feed: ChangeFeed): Promise<Map<string, string[]>> {
  const all = new Map<string, string[]>();
  for (let after = '0'; ; ) {
    const page = await feed.read({ after, limit: 1_000, chain: 'all' });
    if (page === 'gone') throw new Error('the feed has no beginning');
    for (const { type, data } of page.changes.flatMap((entry) =>
      eventsOf(entry, { ...SETTINGS, url: '' }),
    )) {
      all.set(data.address, [...(all.get(data.address) ?? []), `${data.cursor} ${type}`]);
    }
    after = page.next;
    if (!page.hasMore) return all;
  }
}

it('Events reach a receiver that fails at random, each at least once and in order for its wallet, while replicas are killed with -9', async () => {
  const cluster = await startCluster();
  onTestFinished(() => cluster.remove());
  const url = await createMigratedDatabase(cluster);
  const store = await openStore(url, { thresholds: DEFAULT_THRESHOLDS, log: silentLog });
  onTestFinished(async () => void (await store.close()));
  const source = await store.openSource();
  const chances = randomFractions(2_000);
  let isFlaky = false;
  const receiver = await startReceiver((res) => {
    const chance = isFlaky ? (chances.pop() ?? 1) : 1;
    if (chance < 0.1) res.writeHead(500).end();
    else if (chance < 0.2) res.destroy();
    else setTimeout(() => res.writeHead(204).end(), 10);
  });
  receiver.verifying.secret = SECRET;
  await store.webhooks.add({
    ...{ ...SETTINGS, id: 'wh_1', url: receiver.url, secret: SECRET, createdAt: 1 },
  });
  const services: (Service | undefined)[] = [];
  onTestFinished(async () => {
    await Promise.all(services.map((service) => service?.stop()));
  });
  const start = async (number: number) => {
    services[number] = await startService({
      DATABASE_URL: url,
      PRIVATE_NETWORKS: '127.0.0.0/8',
    });
  };
  await Promise.all(REPLICAS.map(start));
  const importing = new AbortController();
  const imports = importUntil(importing.signal, store);
  const events = () => receiver.received.flatMap((delivery) => delivery.events);
  const more = async (count: number) => {
    const before = events().length;
    await expect.poll(() => events().length, WAIT).toBeGreaterThan(before + count);
  };
  await more(60);
  // Until here nobody had a reason to send anything twice.
  const names = events().map(({ type, data }) => `${data.cursor} ${type}`);
  expect(new Set(names).size).toBe(names.length);

  isFlaky = true;
  // Whichever serves the webhook is among them.
  for (const number of REPLICAS) {
    const service = services[number] as Service;
    const ended = once(service.child, 'exit');
    service.child.kill('SIGKILL');
    await ended;
    await more(60);
    await start(number);
  }
  importing.abort();
  await imports;
  await refreshed(store);

  const expected = await eventsByWallet(source.changes as ChangeFeed);
  for (const [address, own] of expected) {
    await expect.poll(() => new Set(receiver.of(address)).size, WAIT).toBe(own.length);
    expect([...new Set(receiver.of(address))]).toEqual(own);
  }
  expect(expected.size).toBe(ALL_WALLETS.length);
  expect(receiver.faults).toEqual([]);
});
