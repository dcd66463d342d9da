import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Webhooks } from '#app/webhooks';
import { RetryableError } from '#base/errors';
import type { LogFields } from '#base/log';
import { sleep } from '#base/waiting/waits';
import { MemoryWork } from '#cluster/memory-work';
import { Replica } from '#cluster/replica';
import type { ReputationSource } from '#reputation/reputation-source';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openSqliteStore } from '#storage/sqlite/open';
import type { Store } from '#storage/store';
import { createWebhookSender } from '#webhooks/delivery';
import {
  eventsOf,
  type OutgoingWebhook,
  type WebhookEvent,
  type WebhookSettings,
} from '#webhooks/webhook';
import { openMemoryStore } from './support/empty-store.ts';
import { eventually } from './support/eventually.ts';
import { temporaryFolder } from './support/import-cli.ts';
import { ALL_WALLETS, activityOf, batchOf, writeTo } from './support/ledger.ts';
import { silentLog } from './support/log.ts';
import { patienceMs } from './support/patience.ts';
import { randomFractions } from './support/random.ts';
import { startReceiver } from './support/webhook-receiver.ts';

const LOOPBACK = ['127.0.0.0/8'];
const ID = 'wh_1';
const SETTINGS: Omit<WebhookSettings, 'url'> = {
  events: ['tier.changed', 'score.changed', 'badge.earned'],
  chain: 'all',
  minTier: undefined,
};
const FAST = {
  backoff: (failures: number) => Math.min(2 ** failures, 20),
  commitEvery: 5,
  storeRetry: 5,
};
const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

async function openData(): Promise<{ store: Store; source: ReputationSource }> {
  const store = openMemoryStore();
  onTestFinished(() => store.close());
  return { store, source: await store.openSource() };
}

function senderTo(privateNetworks: readonly string[], options = {}) {
  const sender = createWebhookSender({ privateNetworks, ...options });
  onTestFinished(() => sender.close());
  return sender;
}

/** Replicas that share a store, each with its own sender. */
function serving(store: Store, source: ReputationSource, count: number) {
  const work = new MemoryWork();
  return Array.from({ length: count }, (_, i) => {
    const replica = new Replica({ id: `replica ${i}`, store: work, log: silentLog });
    const parts = { store: store.webhooks, source, replica, log: silentLog, onAttempt: () => {} };
    const sender = senderTo(LOOPBACK);
    const webhooks = new Webhooks({ ...parts, sender, timings: FAST, pollMs: 10, drainMs: 50 });
    webhooks.begin();
    const stop = async () => {
      await webhooks.stop();
      await replica.stop();
    };
    onTestFinished(stop);
    return { webhooks, stop };
  });
}

describe('webhooks', () => {
  it('reach a receiver that fails at random, from replicas that come and go, signed by both secrets while they change', async () => {
    const chances = randomFractions(2_000);
    const receiver = await startReceiver((res) => {
      const chance = chances.pop() ?? 1;
      if (chance < 0.2) res.writeHead(500).end();
      else if (chance < 0.3) res.writeHead(429, { 'Retry-After': '0' }).end();
      else if (chance < 0.4) res.destroy();
      else if (chance < 0.5) res.writeHead(302, { Location: '/elsewhere' }).end();
      else setTimeout(() => res.writeHead(204).end(), 20 * chance);
    });
    const { store, source } = await openData();
    const first = newSecret();
    receiver.verifying.secret = first;
    await store.webhooks.add({
      ...{ ...SETTINGS, id: ID, url: receiver.url, createdAt: 1, secret: first },
    });
    const replicas = serving(store, source, 2);
    const commit = async (key: number) => {
      const activities = ALL_WALLETS.map((wallet, i) =>
        activityOf(wallet, key.toString(32), { points: 100 * i + 1 }),
      );
      await writeTo(store, batchOf({ activities }));
      await store.refresh();
    };
    for (let key = 1; key <= 20; key++) {
      await commit(key);
      if (key === 5) await eventually(() => receiver.received.length > 5);
      if (key === 10) {
        // Either may serve it.
        await replicas[0]!.stop();
        const second = newSecret();
        const until = 4_000_000_000;
        await store.webhooks.rotate(ID, second, { at: 0, until, endsOlder: false });
        for (let more = 100; receiver.received.at(-1)?.signatures.length !== 2; more++) {
          await commit(more);
          await sleep(5);
        }
        receiver.verifying.secret = second;
      }
    }
    const page = await source.changes!.read({ after: '0', limit: 1_000, chain: 'all' });
    if (page === 'gone') throw new Error('gone');
    const all = page.changes.flatMap((entry) => eventsOf(entry, { ...SETTINGS, url: '' }));
    const namesOf = (address: string) =>
      all.filter(({ data }) => data.address === address).map((e) => `${e.data.cursor} ${e.type}`);
    for (const { address } of ALL_WALLETS) {
      await eventually(() => new Set(receiver.of(address)).size === namesOf(address).length);
      expect([...new Set(receiver.of(address))]).toEqual(namesOf(address));
    }
    expect(receiver.faults).toEqual([]);
    // A delivery is identical each time it's sent.
    const texts = new Map(receiver.received.map(({ id, text }) => [id, text]));
    for (const { id, text } of receiver.received) expect(text).toBe(texts.get(id));
    expect(new Set(texts.values()).size).toBe(texts.size);
    await eventually(async () => (await store.webhooks.list())[0]?.held === 0);
  });

  it('take up what is added, and leave what is paused or removed, while they run', async () => {
    const receiver = await startReceiver();
    const { store, source } = await openData();
    const [replica] = serving(store, source, 1);
    const secret = newSecret();
    receiver.verifying.secret = secret;
    const webhook = { ...SETTINGS, url: receiver.url, createdAt: 1, secret };
    await store.webhooks.add({ ...webhook, id: ID });
    await eventually(() => replica!.webhooks.channels.size === 1);
    const commit = async (key: string) => {
      await writeTo(store, batchOf({ activities: [activityOf(ALL_WALLETS[0]!, key)] }));
      await store.refresh();
    };
    await commit('a');
    await eventually(() => receiver.received.length === 2);
    await store.webhooks.remove(ID);
    await eventually(() => replica!.webhooks.channels.size === 0);
    await commit('b');
    await store.webhooks.add({ ...webhook, id: 'wh_2' });
    await eventually(() => replica!.webhooks.channels.size === 1);
    await commit('c');
    await eventually(() => receiver.received.length === 3);
    expect(receiver.received[2]?.events[0]?.data).toMatchObject({ score: 30, previousScore: 20 });
  });

  it('hold nobody up while an import writes to the same file, and go on after it', async () => {
    const receiver = await startReceiver();
    const file = join(temporaryFolder(), 'data.db');
    const store = openSqliteStore(file, { thresholds: DEFAULT_THRESHOLDS, log: silentLog });
    onTestFinished(() => store.close());
    const secret = newSecret();
    receiver.verifying.secret = secret;
    const settings = { ...SETTINGS, url: receiver.url, createdAt: 1, secret };
    await store.webhooks.add({ ...settings, id: ID });
    const other = new DatabaseSync(file);
    onTestFinished(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    const source = await store.openSource();
    serving(store, source, 1);
    const begun = store.webhooks.begin(ID);
    expect((await store.webhooks.list()).length).toBe(1);
    other.exec('COMMIT');
    expect(await begun).toMatchObject({ deliveries: [], events: [] });
    await writeTo(store, batchOf({ activities: [activityOf(ALL_WALLETS[0]!, 'a')] }));
    await store.refresh();
    await eventually(() => receiver.received.length === 2);
  });

  it('are not sent where another instance has the scores, which is said once', async () => {
    const { store } = await openData();
    const webhook = { ...SETTINGS, url: 'https://example.org/', createdAt: 1 };
    await store.webhooks.add({ ...webhook, id: ID, secret: newSecret() });
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (_: object, text: string) => void warnings.push(text) };
    const parts = { store: store.webhooks, source: {}, log, onAttempt: () => {}, pollMs: 5 };
    const replica = { during: async () => expect.unreachable() };
    const webhooks = new Webhooks({ ...parts, replica, sender: senderTo([]) });
    webhooks.begin();
    await eventually(() => webhooks.all.length === 1);
    await sleep(50);
    await webhooks.stop();
    expect(warnings).toEqual([expect.stringContaining('UPSTREAM_URL')]);
  });

  it('wait for a store that can be read and not written, which is said once until it can', async () => {
    const { store, source } = await openData();
    const webhook = { ...SETTINGS, url: 'https://example.org/', createdAt: 1 };
    await store.webhooks.add({ ...webhook, id: ID, secret: newSecret() });
    const reasons: unknown[] = [];
    const warn = ({ reason }: LogFields) => void reasons.push(reason);
    let begun = 0;
    let isFull = true;
    const begin = async (id: string) => {
      begun += 1;
      if (isFull) throw new RetryableError('full');
      return await store.webhooks.begin(id);
    };
    const parts = { source, log: { ...silentLog, warn }, onAttempt: () => {}, pollMs: 1 };
    const replica = new Replica({ id: 'replica', store: new MemoryWork(), log: silentLog });
    onTestFinished(() => replica.stop());
    const full = { list: () => store.webhooks.list(), begin } as unknown as Store['webhooks'];
    const webhooks = new Webhooks({ ...parts, store: full, replica, sender: senderTo([]) });
    webhooks.begin();
    await eventually(() => begun >= 5);
    expect(reasons).toEqual(['full']);
    isFull = false;
    await eventually(() => webhooks.channels.size === 1);
    await webhooks.stop();
    expect(reasons).toEqual(['full']);
  });
});

describe('a delivery', () => {
  const EVENT: WebhookEvent = {
    type: 'score.changed',
    timestamp: '2026-11-22T20:00:00Z',
    data: {
      ...{ cursor: '1-a', address: '0x1', chain: 'ethereum', score: 5, tier: 'Shrimp' },
      ...{ previousScore: 4, previousTier: 'Shrimp', badgesEarned: [] },
      at: '2026-11-22T20:00:00Z',
    },
  };
  const webhookOf = (url: string, change: Partial<OutgoingWebhook> = {}): OutgoingWebhook => ({
    ...{ ...SETTINGS, id: ID, url, createdAt: 1, secret: newSecret() },
    ...{ oldSecret: undefined, pause: undefined, ...change },
  });
  const never = new AbortController().signal;
  const one = { id: 'msg_1', events: [EVENT] };

  it('is an event as it stands, or a batch; a test is an empty batch', async () => {
    const receiver = await startReceiver();
    const webhook = webhookOf(receiver.url);
    receiver.verifying.secret = webhook.secret;
    const sender = senderTo(LOOPBACK);
    for (const events of [[EVENT], [EVENT, EVENT], []]) {
      expect(await sender.send(webhook, { id: 'msg_1', events }, never)).toMatchObject({
        isTaken: true,
        result: 'HTTP 204',
      });
    }
    const [single, batch, empty] = receiver.received.map(({ text }) => JSON.parse(text));
    expect(single).toEqual(EVENT);
    expect(batch).toEqual({ type: 'batch', timestamp: EVENT.timestamp, data: [EVENT, EVENT] });
    expect(empty).toMatchObject({ type: 'batch', data: [] });
    expect(empty.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(receiver.faults).toEqual([]);
  });

  it('is signed by the secret before until its time is over', async () => {
    const receiver = await startReceiver();
    const old = newSecret();
    const now = Date.now();
    const until = Math.floor(now / 1000) + 5;
    const webhook = webhookOf(receiver.url, { oldSecret: { secret: old, until } });
    receiver.verifying.secret = old;
    await senderTo(LOOPBACK, { clock: () => now }).send(webhook, one, never);
    await senderTo(LOOPBACK, { clock: () => now + 5_000 }).send(webhook, one, never);
    expect([receiver.received.length, receiver.faults.length]).toEqual([1, 1]);
    expect(receiver.received[0]?.signatures).toHaveLength(2);
  });

  it.each([
    ['a redirect', 302, { Location: 'https://example.org/' }, 'HTTP 302', undefined],
    ['an error', 500, {}, 'HTTP 500', undefined],
    ['a request to wait', 429, { 'Retry-After': '99999' }, 'HTTP 429', 3_600],
    ['one to wait for ages', 503, { 'Retry-After': '9'.repeat(400) }, 'HTTP 503', 3_600],
  ])('is not taken by %s', async (_, status, headers, result, retryAfterSeconds) => {
    const receiver = await startReceiver((res) => void res.writeHead(status, headers).end());
    const webhook = webhookOf(receiver.url);
    receiver.verifying.secret = webhook.secret;
    const sent = await senderTo(LOOPBACK).send(webhook, one, never);
    expect(sent).toEqual({ isTaken: false, result, retryAfterSeconds });
  });

  it('is told that its receiver is gone', async () => {
    const receiver = await startReceiver((res) => void res.writeHead(410).end());
    const webhook = webhookOf(receiver.url);
    receiver.verifying.secret = webhook.secret;
    const sent = await senderTo(LOOPBACK).send(webhook, one, never);
    expect(sent).toMatchObject({ isTaken: false, result: 'HTTP 410', isGone: true });
  });

  it.each<readonly [string, (res: ServerResponse) => void]>([
    ['in an unknown encoding', (res) => void res.end('?')],
    ['longer than is read', (res) => void res.end(Buffer.alloc(2 * 1024 * 1024))],
    ['that breaks off', (res) => void res.write('half', () => res.destroy())],
  ])('is refused by a status whatever its body is: one %s', async (_, end) => {
    for (const [status, more] of [
      [410, { isGone: true, retryAfterSeconds: undefined }],
      [503, { retryAfterSeconds: 7 }],
    ] as const) {
      const headers = {
        'Content-Encoding': 'x-odd',
        ...(status === 503 && { 'Retry-After': '7' }),
      };
      const receiver = await startReceiver((res) => end(res.writeHead(status, headers)));
      const webhook = webhookOf(receiver.url);
      receiver.verifying.secret = webhook.secret;
      const sent = await senderTo(LOOPBACK).send(webhook, one, never);
      expect(sent).toEqual({ isTaken: false, result: `HTTP ${status}`, ...more });
    }
  });

  it.each([
    ['an empty body', 204, 'gzip', ''],
    ['a plain body', 200, 'gzip', 'ok'],
    ['a body that nobody asked for', 200, 'deflate', 'ok'],
  ])('is taken by a success that calls %s compressed', async (_, status, encoding, body) => {
    const headers = { 'Content-Encoding': encoding };
    const receiver = await startReceiver((res) => void res.writeHead(status, headers).end(body));
    const webhook = webhookOf(receiver.url);
    receiver.verifying.secret = webhook.secret;
    const sent = await senderTo(LOOPBACK).send(webhook, one, never);
    expect(sent).toMatchObject({ isTaken: true, result: `HTTP ${status}` });
  });

  it('waits for no other webhook at the same host', async () => {
    const waiting: ServerResponse[] = [];
    const receiver = await startReceiver((res, { id }) => {
      if (id === 'msg_1') waiting.push(res);
      else res.writeHead(204).end();
    });
    const webhook = webhookOf(receiver.url);
    receiver.verifying.secret = webhook.secret;
    const sender = senderTo(LOOPBACK, { timeoutMs: patienceMs() });
    const stuck = Array.from({ length: 8 }, () => sender.send(webhook, one, never));
    const sent = await sender.send(webhook, { ...one, id: 'msg_2' }, never);
    expect(sent.isTaken).toBe(true);
    await eventually(() => waiting.length === stuck.length);
    for (const res of waiting) res.writeHead(204).end();
    expect((await Promise.all(stuck)).every(({ isTaken }) => isTaken)).toBe(true);
  });

  it.each([
    ['http://127.0.0.1:9/sEcReT', 'the receiver is at a private address'],
    ['https://localhost/sEcReT', 'the receiver is at a private address'],
    ['https://169.254.169.254/sEcReT', 'the receiver is at a private address'],
    ['http://1.1.1.1/sEcReT', 'the receiver is not at an https URL'],
  ])('goes to public addresses by https alone: not to %s', async (url, result) => {
    const sent = await senderTo([]).send(webhookOf(url), one, never);
    expect(sent).toEqual({ isTaken: false, result });
  });

  it('has a deadline', async () => {
    const receiver = await startReceiver(() => {});
    const webhook = webhookOf(receiver.url);
    receiver.verifying.secret = webhook.secret;
    const sent = await senderTo(LOOPBACK, { timeoutMs: 100 }).send(webhook, one, never);
    expect(sent).toEqual({ isTaken: false, result: 'the receiver took too long to respond' });
  });
});
