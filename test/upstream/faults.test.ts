import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { RetryableError } from '#base/errors';
import { UPSTREAM_TIMEOUTS } from '#upstream/fetcher';
import type { Wallet } from '#wallet/wallet';
import { freePort } from '../../bench/servers/free-port.ts';
import { addressOf } from '../support/import-lines.ts';
import { ETH_A, SOL_A } from '../support/ledger.ts';
import { silentLog } from '../support/log.ts';
import { patienceMs } from '../support/patience.ts';
import {
  RECORD as ANY,
  type FakeUpstream,
  fakeUpstream,
  KEPT,
  PATIENT,
  saying,
  upstreamAt,
} from '../support/upstream.ts';

const RECORD = { address: ETH_A.address, chain: 'ethereum', ...ANY };
const TEXT = JSON.stringify(RECORD);
const JSON_TYPE = { 'Content-Type': 'application/json' };

const status =
  (code: number, headers = {}) =>
  (_: unknown, res: ServerResponse) => {
    res.writeHead(code, { 'Content-Type': 'application/problem+json', ...headers });
    res.end(JSON.stringify({ status: code }));
  };

type Fault = Parameters<typeof fakeUpstream>[0];

/** Name, what the server does, and the longest pause in seconds that results from it. */
const FAULTS: [string, Fault, number?][] = [
  ['429 with Retry-After', status(429, { 'Retry-After': '100' }), 101],
  ['429 without it', status(429)],
  ['500', status(500)],
  ['503 with Retry-After', status(503, { 'Retry-After': '40' }), 41],
  ['401', status(401), 61],
  ['400', status(400)],
  ['a reset', (req) => req.socket.resetAndDestroy()],
  [
    'a body that breaks off',
    (_, res) => {
      res.writeHead(200, { ...JSON_TYPE, 'Content-Length': TEXT.length });
      res.write(TEXT.slice(0, 20), () => res.socket?.destroy());
    },
  ],
  [
    'chunks that break off',
    (_, res) => {
      res.writeHead(200, JSON_TYPE);
      res.write(TEXT, () => res.socket?.destroy());
    },
  ],
  [
    'too short a length',
    (_, res) => {
      const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 30\r\n\r\n`;
      res.socket?.end(head + TEXT);
    },
  ],
  ['no JSON', (_, res) => res.writeHead(200, JSON_TYPE).end('{"score": 0')],
  ['a page in HTML', (_, res) => res.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>')],
  ['a page that is not found', (_, res) => res.writeHead(404).end('<h1>Not found</h1>')],
  [
    'another service',
    (_, res) => res.writeHead(404, JSON_TYPE).end('{"code":"route-not-found","score":0}'),
  ],
  ['no content', (_, res) => res.writeHead(204).end()],
  ['a score that is none', saying({ ...RECORD, score: null })],
  ['a time that hasn’t come', saying({ ...RECORD, lastUpdated: '2999-12-15T14:30:00Z' })],
  ['another wallet', saying({ ...RECORD, address: SOL_A.address, score: 1 })],
  ['gzip that is none', (_, res) => res.writeHead(200, { 'Content-Encoding': 'gzip' }).end(TEXT)],
  [
    'gzip that breaks off',
    (_, res) =>
      res.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(TEXT).subarray(0, 40)),
  ],
  ['an unknown encoding', (_, res) => res.writeHead(200, { 'Content-Encoding': 'zz' }).end(TEXT)],
  ['bytes that are no text', (_, res) => res.writeHead(200).end(Buffer.from([0x22, 0xff, 0x22]))],
];

/** Faults that end with a timeout. */
const ENDLESS: [string, Fault][] = [
  ['a hang before the headers', () => {}],
  [
    'a byte at a time',
    (_, res) => {
      res.writeHead(200, JSON_TYPE);
      const timer = setInterval(() => res.write(' '), 20);
      res.on('close', () => clearInterval(timer));
    },
  ],
];

/** Everything known is shown as stale, nothing as zero, and the recovery is noticed. */
async function survive(
  fake: FakeUpstream,
  breakIt: () => unknown,
  repair: () => unknown,
  { heldOff = 15, timeouts = PATIENT } = {},
) {
  const upstream = upstreamAt(fake.url, { timeouts });
  expect((await upstream.source.reading().reputation(ETH_A))?.score).toBe(9420);
  await breakIt();
  upstream.advance(120);
  for (let i = 0; i < 4; i++) {
    const reading = upstream.source.reading();
    expect((await reading.reputation(ETH_A))?.score).toBe(9420);
    expect(reading.isStale).toBe(true);
    expect(reading.ageSeconds).toBeGreaterThanOrEqual(120);
  }
  const unknown = async () => upstream.source.reading().reputation(SOL_A);
  await expect(unknown()).rejects.toThrow(RetryableError);
  expect(upstream.status().ok).toBe(false);
  await repair();
  upstream.advance(heldOff);
  await vi.waitFor(
    async () => {
      const reading = upstream.source.reading();
      expect((await reading.reputation(ETH_A))?.score).toBe(9420);
      expect([reading.isStale, upstream.status().ok]).toEqual([false, true]);
    },
    { timeout: patienceMs(), interval: 100 },
  );
}

describe('a failing upstream', () => {
  it.each(FAULTS)('%s: serves cached data as stale', async (_, fault, heldOff) => {
    const fake = await fakeUpstream(saying(RECORD, KEPT));
    const breakIt = () => {
      fake.handler = fault;
    };
    const repair = () => {
      fake.handler = saying(RECORD, KEPT);
    };
    await survive(fake, breakIt, repair, { heldOff });
  });

  it.each(ENDLESS)('%s times out: serves cached data as stale', async (_, fault) => {
    const fake = await fakeUpstream(saying(RECORD, KEPT));
    // Only hanging requests time out, however slow the machine is.
    const timeouts = { ...PATIENT };
    const breakIt = () => {
      fake.handler = fault;
      Object.assign(timeouts, { requestMs: 300, shortPatienceMs: 100 });
    };
    const repair = () => {
      fake.handler = saying(RECORD, KEPT);
      Object.assign(timeouts, PATIENT);
    };
    await survive(fake, breakIt, repair, { timeouts });
  });

  it('delays callers briefly, and even less if there is stale data to serve', async () => {
    const fake = await fakeUpstream(saying(RECORD, KEPT));
    const upstream = upstreamAt(fake.url, { timeouts: UPSTREAM_TIMEOUTS });
    const scoreOf = async (wallet: Wallet) =>
      (await upstream.source.reading().reputation(wallet))?.score;
    // Starts after the waits it's compared with, so it ends after them even on a busy machine.
    const within = (ms: number, asked: Promise<unknown>) =>
      Promise.race([asked, sleep(ms, 'late')]);
    await vi.waitFor(async () => expect(await scoreOf(ETH_A)).toBe(9420), {
      timeout: patienceMs(),
    });
    fake.handler = () => {};
    upstream.advance(120);
    expect(await within(2_000, scoreOf(ETH_A))).toBe(9420);
    const refused = scoreOf(SOL_A).catch((error: unknown) => error);
    expect(await within(5_500, refused)).toBeInstanceOf(RetryableError);
  });

  it('gets no connections while it is down, and is used again once it is up', async () => {
    // A port that no one else gets while the server is down.
    const port = await freePort();
    const fake = await fakeUpstream(saying(RECORD, KEPT), port);
    await survive(
      fake,
      () => fake.close(),
      () => fakeUpstream(saying(RECORD, KEPT), port),
    );
  });

  it('cannot redirect us to this machine', async () => {
    const inside = await fakeUpstream(saying({ ...RECORD, score: 1 }));
    const fake = await fakeUpstream(saying(RECORD, KEPT));
    await survive(
      fake,
      () => {
        fake.handler = status(302, { Location: `${inside.url}/reputation/${ETH_A.address}` });
      },
      () => {
        fake.handler = saying(RECORD, KEPT);
      },
    );
    expect(inside.asked).toEqual([]);
  });

  it('is logged once, however often a resource is invalid and whoever asks', async () => {
    const fake = await fakeUpstream(saying({ ...RECORD, score: '1' }, KEPT));
    const said: unknown[] = [];
    const say = (fields: object, message: string) => said.push([fields, message]);
    const upstream = upstreamAt(fake.url, { log: { ...silentLog, info: say, warn: say } });
    for (const number of [1, 2, 3, 4]) {
      const wallet = { chain: 'ethereum' as const, address: addressOf('ethereum', number) };
      const reading = upstream.source.reading();
      await expect(reading.reputation(wallet)).rejects.toThrow('is invalid');
      // That of one wallet says nothing of the rest.
      expect(upstream.status()).toMatchObject({
        ok: number === 1,
        detail: expect.stringContaining('/reputation'),
      });
    }
    const first = `/reputation/${addressOf('ethereum', 1)}`;
    expect(said).toEqual([[expect.objectContaining({ resource: first }), expect.anything()]]);
    fake.handler = saying(RECORD, KEPT);
    await upstream.source.reading().reputation(ETH_A);
    expect(upstream.status().ok).toBe(true);
  });

  it('whose response for one wallet is invalid makes nothing else stale', async () => {
    const fake = await fakeUpstream(saying(RECORD, KEPT));
    const upstream = upstreamAt(fake.url);
    await upstream.source.reading().reputation(ETH_A);
    fake.handler = saying({ ...RECORD, score: '1' }, KEPT);
    const other = { chain: 'ethereum' as const, address: addressOf('ethereum', 1) };
    await expect(upstream.source.reading().reputation(other)).rejects.toThrow('is invalid');
    const reading = upstream.source.reading();
    await reading.reputation(ETH_A);
    expect(reading.isStale).toBe(false);
  });

  it('cannot make us decompress a bomb beyond the limit', async () => {
    // Assembled from pieces, so that creating it doesn't allocate memory that unpacking could reuse.
    const bomb = Buffer.concat(Array(400).fill(gzipSync(Buffer.alloc(1024 * 1024, ' '))));
    const fake = await fakeUpstream((_, res) => {
      res.writeHead(200, { ...JSON_TYPE, 'Content-Encoding': 'gzip' }).end(bomb);
    });
    const said: unknown[] = [];
    const log = { ...silentLog, warn: (fields: object) => said.push(fields) };
    const upstream = upstreamAt(fake.url, { log });
    const before = process.memoryUsage.rss();
    let most = 0;
    const timer = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss());
    }, 1);
    await expect(upstream.source.reading().reputation(ETH_A)).rejects.toThrow(RetryableError);
    clearInterval(timer);
    expect(most - before).toBeLessThan(100 * 1024 * 1024);
    expect(JSON.stringify(said)).toContain('too large a response');
    // It would be as large again, and nothing else is the worse for it.
    expect(fake.asked).toHaveLength(1);
    expect(upstream.status().ok).toBe(true);
  });

  it.each([
    ['expired', /expired/],
    ['good', undefined],
  ])('is checked for whether its certificate is %s', async (name, reason) => {
    const folder = new URL('../support/certificates/', import.meta.url);
    const pem = (file: string) => readFileSync(new URL(`${file}.pem`, folder), 'utf8');
    const trusted = getCACertificates('default');
    setDefaultCACertificates([pem('authority')]);
    onTestFinished(() => setDefaultCACertificates(trusted));
    const server = createTlsServer(
      { key: pem('server-key'), cert: pem(name) },
      saying(RECORD, KEPT),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const said: unknown[] = [];
    const log = { ...silentLog, warn: (fields: object) => said.push(fields) };
    const { port } = server.address() as AddressInfo;
    const { source } = upstreamAt(`https://127.0.0.1:${port}/v1`, { log });
    const answer = async () => source.reading().reputation(ETH_A);
    if (reason === undefined) expect((await answer())?.score).toBe(9420);
    else {
      await expect(answer()).rejects.toThrow(RetryableError);
      expect(JSON.stringify(said)).toMatch(reason);
    }
  });

  it('is distinguished from a proxy that is away', async () => {
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY']) vi.stubEnv(name, 'http://127.0.0.1:1');
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const scheme of ['http', 'https']) {
      const said: unknown[] = [];
      const log = { ...silentLog, warn: (fields: object) => said.push(fields) };
      const { source } = upstreamAt(`${scheme}://upstream.egress.test/v1`, { log });
      const asked = async () => source.reading().reputation(ETH_A);
      await expect(asked()).rejects.toThrow(RetryableError);
      expect(JSON.stringify(said)).toContain('as the proxy');
    }
  });

  it.each([86_400_000, -86_400_000])('is unaffected by a clock step of %i ms', async (step) => {
    const fake = await fakeUpstream(saying(RECORD, KEPT));
    const upstream = upstreamAt(fake.url);
    await upstream.source.reading().reputation(ETH_A);
    const now = Date.now;
    vi.spyOn(Date, 'now').mockImplementation(() => now() + step);
    onTestFinished(() => void vi.restoreAllMocks());
    const reading = upstream.source.reading();
    expect((await reading.reputation(ETH_A))?.score).toBe(9420);
    expect([fake.asked.length, reading.isStale, reading.ageSeconds]).toEqual([1, false, 0]);
    fake.handler = status(500);
    upstream.advance(120);
    for (let i = 0; i < 4; i++) await upstream.source.reading().reputation(ETH_A);
    fake.handler = saying(RECORD, KEPT);
    upstream.advance(15);
    await upstream.source.reading().reputation(ETH_A);
    await vi.waitFor(() => expect(upstream.status().ok).toBe(true), { timeout: patienceMs() });
  });

  it('is logged once per kind of fault, and once when it recovers, without the key', async () => {
    const fake = await fakeUpstream(status(500));
    const said: string[] = [];
    const note = (fields: object, message: string) => said.push(message + JSON.stringify(fields));
    const log = { ...silentLog, warn: note, info: note };
    const upstream = upstreamAt(fake.url, { log, apiKey: 'fth_secret_of_mine' });
    for (let i = 0; i < 5; i++) {
      await expect(async () => upstream.source.reading().stats()).rejects.toThrow(RetryableError);
    }
    fake.handler = saying(RECORD);
    upstream.advance(15);
    await upstream.source.reading().reputation(ETH_A);
    expect(said).toHaveLength(2);
    expect(said.join()).not.toContain('secret');
  });
});
