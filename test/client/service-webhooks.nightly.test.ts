import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { verifyWebhook, type WebhookDelivery } from '../../client/src/index.ts';
import { runCli, runHere, temporaryFolder } from '../support/import-cli.ts';
import { activityLine, addressOf } from '../support/import-lines.ts';
import { patienceMs } from '../support/patience.ts';
import { serveHere } from '../support/serve-here.ts';

const WAIT = { timeout: patienceMs(), interval: 50 };

/** A receiver as an integrator would write it with the client. */
async function startReceiver() {
  const secrets: string[] = [];
  const taken: WebhookDelivery[] = [];
  const refused: unknown[] = [];
  const server = createServer(async (req, res) => {
    try {
      const body = Buffer.concat(await req.toArray());
      taken.push(await verifyWebhook(body, req.headers, secrets));
      res.writeHead(204).end();
    } catch (error) {
      refused.push(error);
      res.writeHead(400).end();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, secrets, taken, refused };
}

it('The client takes what the service sends: events, batches, a test, and either secret of a rotation', async () => {
  const file = join(temporaryFolder(), 'data.db');
  const env = { DATABASE_URL: `sqlite:${file}`, PRIVATE_NETWORKS: '127.0.0.0/8' };
  const run = async (args: readonly string[], input = '') => {
    const { code, stdout, stderr } = await (input === ''
      ? runHere(args, env)
      : runCli(args, { cwd: '/', env, input }));
    expect(code, stderr).toBe(0);
    return stdout.split('\n');
  };
  const give = (wallets: readonly number[], source: string) => {
    const lines = wallets.map((n) => activityLine('ethereum', n, { points: 5, source }));
    return run(['import', '-'], lines.map((line) => JSON.stringify(line)).join('\n'));
  };
  const receiver = await startReceiver();
  const { url, secrets, taken, refused } = receiver;
  const [id = '', secret = ''] = await run(['webhooks', 'add', url, '--events', 'score.changed']);
  secrets.push(secret);
  const service = await serveHere(env);
  onTestFinished(() => service.stop());
  const addresses = () => taken.flatMap(({ events }) => events.map(({ data }) => data.address));

  await give([1], 'a');
  await expect.poll(addresses, WAIT).toEqual([addressOf('ethereum', 1)]);
  expect(taken[0]?.events[0]).toMatchObject({ type: 'score.changed', data: { score: 5 } });
  const many = Array.from({ length: 60 }, (_, i) => i + 10);
  await give(many, 'b');
  await expect.poll(() => addresses().length, WAIT).toBe(61);
  expect(new Set(addresses()).size).toBe(61);
  expect(taken.some(({ events }) => events.length > 10)).toBe(true);
  await run(['webhooks', 'test', id]);
  expect(taken.at(-1)?.events).toEqual([]);
  expect(refused).toEqual([]);

  const [second = ''] = await run(['webhooks', 'rotate', id]);
  // The running service learns of it in a moment, and sends again what isn't taken.
  secrets.splice(0, 1, second);
  await give([2], 'c');
  await expect.poll(() => addresses().at(-1), WAIT).toBe(addressOf('ethereum', 2));
  secrets.splice(0, 1, secret);
  await give([3], 'd');
  await expect.poll(() => addresses().at(-1), WAIT).toBe(addressOf('ethereum', 3));
});
