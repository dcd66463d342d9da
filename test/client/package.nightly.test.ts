import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openApi, type TestApi } from '../support/api.ts';
import { ETH } from '../support/api-source.ts';
import { hasChromium, NEEDS_CHROMIUM, openPage, sharedBrowser } from '../support/browser.ts';
import {
  CLIENT,
  type InstalledClient,
  installClient,
  OPENAPI_FETCH,
} from '../support/client-package.ts';
import { DEMO_WALLET } from '../support/demo-wallet.ts';

const run = promisify(execFile);
const README = readFileSync(join(CLIENT, 'README.md'), 'utf8');

let installed: InstalledClient;
let folder: string;
let dist: string;
let api: TestApi;
beforeAll(async () => {
  installed = await installClient();
  ({ folder, dist } = installed);
  api = await openApi();
});
afterAll(async () => {
  await api.close();
  installed.remove();
});

it('The client is as small as its README says', () => {
  const code = readdirSync(dist).filter((name) => name.endsWith('.js'));
  const own = code.map((name) => readFileSync(join(dist, name), 'utf8')).join('');
  const all = own + readFileSync(join(OPENAPI_FETCH, 'dist/index.mjs'), 'utf8');
  const kilobytes = Math.round(gzipSync(all).length / 1000);
  expect(/about (\d+) KB gzipped/.exec(README)?.[1]).toBe(String(kilobytes));
});

describe('the samples of its README', () => {
  const samples = [...README.matchAll(/```js\n(.*?)```/gs)].map(([, code = '']) => code);
  it.each(samples.map((code, i) => [i, code] as const))(
    'run as they stand: %i',
    async (i, code) => {
      const file = join(folder, `sample-${i}.mjs`);
      // They ask for a wallet of the demo, in whose place is one of this service.
      expect(code.match(/0x[\da-fA-F]{40}/)?.[0] ?? DEMO_WALLET).toBe(DEMO_WALLET);
      // Samples that listen are stopped here.
      const ended = code.includes('listen(') ? `${code}\nserver.close();` : code;
      const there = ended.replaceAll('http://127.0.0.1:8080', api.url).replaceAll(DEMO_WALLET, ETH);
      writeFileSync(file, there);
      const { stdout, stderr } = await run(process.execPath, [file]);
      expect(stderr).toBe('');
      expect(stdout === '').toBe(code.includes('listen('));
    },
  );
});

describe.runIf(hasChromium)(`in a browser${NEEDS_CHROMIUM}`, () => {
  it('reads the API of another origin and verifies webhooks', async () => {
    const origin = await serveClient();
    const { page, faults, close } = await openPage(await sharedBrowser());
    onTestFinished(close);
    await page.goto(origin);
    const found = await page.evaluate(inTheBrowser(api.url, ETH));
    expect(found).toEqual({
      tiers: ['Titan', 'Titan'],
      list: ['Titan', 'InvalidAddressError'],
      ranks: [1, 2, 2, 4],
      refused: 'WebhookVerificationError: The timestamp is not of now.',
    });
    expect(faults).toEqual([]);
  });
});

/** As text, because the page imports the client itself. */
const inTheBrowser = (url: string, address: string) => `(async () => {
  const { Fathom, verifyWebhook } = await import('@fathom-reputation/client');
  const fathom = new Fathom({ url: '${url}' });
  const tiers = [];
  for (let i = 0; i < 2; i += 1) tiers.push((await fathom.reputation('${address}')).tier);
  const list = await fathom.reputations(['${address}', 'nonsense']);
  const ranks = [];
  for await (const { rank } of fathom.users({ limit: 2 })) ranks.push(rank);
  const headers = { 'webhook-id': 'a', 'webhook-timestamp': '1', 'webhook-signature': 'v1,aaaa' };
  const refused = await verifyWebhook('{}', headers, 'whsec_' + btoa('x'.repeat(24))).catch(String);
  const kinds = list.map((each) => (each instanceof Error ? each.name : each.tier));
  return { tiers, list: kinds, ranks, refused };
})()`;

/** Serves a page on its own origin that can import the client. */
async function serveClient(): Promise<string> {
  const map = {
    imports: {
      '@fathom-reputation/client': '/dist/index.js',
      'openapi-fetch': '/openapi-fetch.js',
    },
  };
  const server = createServer((req, res) => {
    const { url = '/' } = req;
    const isPage = url === '/';
    res.writeHead(200, { 'Content-Type': isPage ? 'text/html' : 'text/javascript' });
    if (isPage) {
      const icon = '<link rel="icon" href="data:,">';
      res.end(`<!doctype html>${icon}<script type="importmap">${JSON.stringify(map)}</script>`);
    } else if (url === '/openapi-fetch.js') {
      res.end(readFileSync(join(OPENAPI_FETCH, 'dist/index.mjs')));
    } else res.end(readFileSync(join(dist, url.slice('/dist/'.length))));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}
