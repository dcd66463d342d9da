import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { wallMs } from '#base';
import { runHere } from '../support/import-cli.ts';

const TELEGRAM_TOKEN = '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw';

interface Clock {
  /** Seconds by which it's ahead of ours; undefined for a server that doesn't say. */
  readonly ahead?: number;
  readonly age?: number;
}

/** A server that knows nothing but the time. @returns its host */
async function open({ ahead, age }: Clock): Promise<string> {
  const server = createServer((_, response) => {
    response.sendDate = false;
    if (ahead !== undefined) {
      response.setHeader('date', new Date(wallMs() + ahead * 1000).toUTCString());
    }
    if (age !== undefined) response.setHeader('age', age);
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** What doctor says of the clock, if anything. */
async function clockFinding(env: Record<string, string>): Promise<string | undefined> {
  const { stdout } = await runHere(['doctor'], { PORT: '0', METRICS_PORT: '0', ...env });
  return /^(\w+ +clock +.*)$/m.exec(stdout)?.[1]?.replace(/ {2,}/g, ' ');
}

const NODES = ['UPSTREAM_URL', 'ETHEREUM_RPC_URL', 'SOLANA_RPC_URL'] as const;

async function ask(clocks: readonly Clock[]) {
  const hosts = await Promise.all(clocks.map(open));
  const env = Object.fromEntries(hosts.map((host, at) => [NODES[at], `http://${host}`]));
  return { hosts, found: await clockFinding(env) };
}

it.each([
  [-3_600, '60 min ahead of'],
  [600, '10 min behind'],
])('fathom doctor compares the clock with one that is %i s ahead', async (ahead, words) => {
  const { hosts, found } = await ask([{ ahead }]);
  expect(found).toMatch(/^warn clock this machine's clock is /);
  expect(found).toContain(`${words} that of ${hosts[0]}: `);
});

it('fathom doctor hears of the time from a chat platform, too', async () => {
  const host = await open({ ahead: 7_200 });
  const found = await clockFinding({ TELEGRAM_TOKEN, TELEGRAM_API_URL: `http://${host}` });
  expect(found).toContain(`120 min behind that of ${host}: `);
});

it('fathom doctor counts what a cache has kept as of the time at which it was answered', async () => {
  const { hosts, found } = await ask([{ ahead: -3_600, age: 3_600 }]);
  expect(found).toBe(`ok clock agrees with that of ${hosts[0]}`);
});

it('fathom doctor believes most servers', async () => {
  const one = await ask([{ ahead: 1 }, { ahead: 900 }, { ahead: 0 }]);
  expect(one.found).toMatch(/^ok clock /);
  expect(one.found).not.toContain(one.hosts[1]);
  const most = await ask([{ ahead: 900 }, { ahead: 900 }, { ahead: 0 }]);
  expect(most.found).toMatch(/^warn clock .* 15 min behind /);
});

it('fathom doctor says nothing of the clock where no server tells the time', async () => {
  expect((await ask([{}])).found).toBeUndefined();
});
