import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openSqliteStore } from '#storage/sqlite/open';
import { temporaryFolder } from './support/import-cli.ts';
import { activityOf, batchOf, ETH_A, SOL_A, writeTo } from './support/ledger.ts';
import { silentLog } from './support/log.ts';
import { patienceMs } from './support/patience.ts';
import { startService } from './support/service.ts';
import { startReceiver } from './support/webhook-receiver.ts';

const ID = 'wh_1';
const SECRET = 'whsec_dGhpcyBpcyBhIHNlY3JldCBvZiAzMiBieXRlcyAhISE=';
const until = (condition: () => unknown) =>
  expect.poll(condition, { timeout: patienceMs(60_000), interval: 50 }).toBe(true);

/*
 * The program itself, killed with -9 right after a receiver has got a delivery and before it could respond;
 * then the receiver fails at first.
 */
it('The service loses nothing that a webhook has not delivered when the service is killed, and tells nobody the secret', async () => {
  let status = 503;
  let mayAnswer = false;
  const got = Promise.withResolvers<void>();
  const receiver = await startReceiver((res) => {
    if (mayAnswer) res.writeHead(status).end();
    else got.resolve();
  });
  receiver.verifying.secret = SECRET;
  const file = join(temporaryFolder(), 'data.db');
  const store = openSqliteStore(file, { thresholds: DEFAULT_THRESHOLDS, log: silentLog });
  onTestFinished(() => store.close());
  const commit = (key: string) => {
    const activities = [ETH_A, SOL_A].map((wallet) => activityOf(wallet, key));
    return writeTo(store, batchOf({ activities }));
  };
  const settings = { events: ['score.changed'], chain: 'all', minTier: undefined } as const;
  const webhook = { ...settings, id: ID, url: receiver.url, secret: SECRET, createdAt: 1 };
  await store.webhooks.add(webhook);

  const env = {
    DATABASE_URL: `sqlite:${file}`,
    PRIVATE_NETWORKS: '127.0.0.0/8',
    LOG_LEVEL: 'debug',
  };
  const killed = await startService(env);
  await commit('a');
  await got.promise;
  killed.child.kill('SIGKILL');
  await once(killed.child, 'exit');
  await commit('b');

  mayAnswer = true;
  const service = await startService(env);
  const { url } = service;
  const before = receiver.received.length;
  await until(() => receiver.received.length > before + 2);
  status = 204;
  const scores = (address: string) =>
    receiver.received.flatMap(({ events }) =>
      events.flatMap(({ data }) => (data.address === address ? [data.score] : [])),
    );
  await until(async () => {
    const [shown] = await store.webhooks.list();
    return shown?.held === 0 && shown.lastAttempt?.isTaken;
  });
  await until(() => [ETH_A, SOL_A].every(({ address }) => scores(address).includes(20)));
  for (const { address } of [ETH_A, SOL_A]) {
    expect([...new Set(scores(address))]).toEqual([10, 20]);
  }
  const readiness = await (await fetch(`${url}/readyz`)).text();
  expect(readiness).toContain('"webhooks":{"ok":true,"detail":"1 active, 0 paused"}');
  expect(await service.stop()).toBe(0);

  const told = `${killed.output()}${service.output()}`;
  expect(told).not.toContain(SECRET.slice(6, 20));
  expect(told).not.toContain('sEcReT');
  expect(receiver.faults).toEqual([]);
});
