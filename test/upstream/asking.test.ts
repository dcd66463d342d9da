import { describe, expect, it, vi } from 'vitest';
import { RetryableError } from '#base/errors';
import type { Wallet } from '#wallet/wallet';
import { addressOf } from '../support/import-lines.ts';
import { ETH_A } from '../support/ledger.ts';
import { patienceMs } from '../support/patience.ts';
import { fakeUpstream, KEPT, RECORD, saying, upstreamAt } from '../support/upstream.ts';

const wallet = (n: number): Wallet => ({ chain: 'ethereum', address: addressOf('ethereum', n) });

describe('querying an upstream', () => {
  it('sends one request for 200 identical concurrent queries', async () => {
    const fake = await fakeUpstream((req, res) => {
      setTimeout(() => saying(RECORD)(req, res), 50);
    });
    const { source } = upstreamAt(fake.url);
    const scores = await Promise.all(
      Array.from({ length: 200 }, async () => (await source.reading().reputation(ETH_A))?.score),
    );
    expect(new Set(scores)).toEqual(new Set([9420]));
    expect(fake.asked).toEqual([`/v1/reputation/${ETH_A.address}`]);
  });

  it('sends the key, and its own name', async () => {
    const headers: unknown[] = [];
    const fake = await fakeUpstream((req, res) => {
      headers.push(req.headers.authorization, req.headers['user-agent']);
      saying(RECORD)(req, res);
    });
    await upstreamAt(fake.url, { apiKey: 'my-key' }).source.reading().reputation(ETH_A);
    expect(headers).toEqual(['Bearer my-key', 'fathom']);
  });

  it('sends no more than 100 requests a minute, and lets nobody wait past the deadline', async () => {
    const fake = await fakeUpstream(saying(RECORD));
    const upstream = upstreamAt(fake.url);
    const { source } = upstream;
    const began = performance.now();
    const outcomes = await Promise.all(
      Array.from({ length: 1000 }, async (_, i) => {
        // The first 400 belong to a sweep that nobody waits for.
        const reading = source.reading(i < 400 ? 'background' : 'interactive');
        const result = await Promise.resolve(reading.reputation(wallet(i))).catch((error) => error);
        return { result, ms: performance.now() - began };
      }).slice(0, 1000),
    ).finally(() => upstream.close());
    const isAnswer = ({ result }: { result: unknown }) => !(result instanceof Error);
    expect(fake.asked.length).toBeLessThanOrEqual(100);
    expect(fake.asked.length).toBeGreaterThan(90);
    expect(outcomes.filter(isAnswer)).toHaveLength(fake.asked.length);
    for (const { result } of outcomes.filter((each) => !isAnswer(each))) {
      expect(result).toBeInstanceOf(RetryableError);
    }
    // At once rather than after their timeout, which is a minute here.
    for (const { ms } of outcomes.slice(400)) expect(ms).toBeLessThan(20_000);
    // Except for requests sent before, the sweep had to give way.
    expect(outcomes.slice(0, 400).filter(isAnswer).length).toBeLessThanOrEqual(8);
  });

  it('sends more a minute later', async () => {
    const fake = await fakeUpstream(saying(RECORD));
    const upstream = upstreamAt(fake.url);
    const ask = (from: number, count: number) =>
      Promise.allSettled(
        Array.from({ length: count }, async (_, i) =>
          upstream.source.reading().reputation(wallet(from + i)),
        ),
      );
    await ask(0, 150);
    expect(fake.asked).toHaveLength(100);
    upstream.advance(30);
    await ask(200, 10);
    expect(fake.asked).toHaveLength(100);
    upstream.advance(32);
    await ask(300, 150);
    expect(fake.asked).toHaveLength(200);
  });

  it.each([
    ['X-RateLimit', { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '20' }],
    ['RateLimit', { RateLimit: '"public";r=0;t=20', 'RateLimit-Policy': '"public";q=100;w=60' }],
    ['an older RateLimit', { RateLimit: 'limit=100, remaining=0, reset=20' }],
    ['Retry-After', { 'Retry-After': '20' }],
  ])('follows the limit that the upstream reports by %s', async (_, headers) => {
    const fake = await fakeUpstream(saying(RECORD, headers));
    const upstream = upstreamAt(fake.url);
    const ask = async (n: number) => upstream.source.reading().reputation(wallet(n));
    await ask(1);
    const refused = await ask(2).catch((error) => error);
    expect(refused).toBeInstanceOf(RetryableError);
    expect(refused.retryAfter).toBeGreaterThan(15);
    expect(refused.retryAfter).toBeLessThanOrEqual(20);
    upstream.advance(21);
    expect((await ask(2))?.score).toBe(9420);
    expect(fake.asked).toHaveLength(2);
  });

  it('takes a lower limit from the headers, never a higher one', async () => {
    const fake = await fakeUpstream(saying(RECORD, { 'RateLimit-Policy': '"x";q=5;w=60' }));
    const upstream = upstreamAt(fake.url);
    for (let n = 0; n < 8; n++) {
      await Promise.resolve(upstream.source.reading().reputation(wallet(n))).catch(() => {});
    }
    expect(fake.asked).toHaveLength(5);
  });

  it('retries once after a transient failure', async () => {
    const fake = await fakeUpstream((req) => {
      fake.handler = saying(RECORD);
      req.socket.destroy();
    });
    expect((await upstreamAt(fake.url).source.reading().reputation(ETH_A))?.score).toBe(9420);
    expect(fake.asked).toHaveLength(2);
  });

  it('pauses requests to an upstream that is down', async () => {
    const fake = await fakeUpstream((_, res) => res.writeHead(500).end());
    const upstream = upstreamAt(fake.url);
    for (let n = 0; n < 20; n++) {
      await Promise.resolve(upstream.source.reading().reputation(wallet(n))).catch(() => {});
    }
    expect(fake.asked.length).toBeLessThanOrEqual(4);
  });
});

describe('a cached response', () => {
  it('is served without a request while it is fresh, then while it is revalidated', async () => {
    const fake = await fakeUpstream(saying(RECORD, KEPT));
    const upstream = upstreamAt(fake.url);
    await upstream.source.reading().reputation(ETH_A);
    upstream.advance(29);
    const reading = upstream.source.reading();
    // Synchronously.
    expect(reading.reputation(ETH_A)).toMatchObject({ score: 9420 });
    expect([reading.ageSeconds, reading.isStale, reading.revision]).toEqual([29, false, 'r1']);
    expect(fake.asked).toHaveLength(1);
    fake.handler = saying({ ...RECORD, score: 9500 }, { ...KEPT, ETag: 'W/"r2"' });
    upstream.advance(30);
    const later = upstream.source.reading();
    expect(later.reputation(ETH_A)).toMatchObject({ score: 9420 });
    expect([later.ageSeconds, later.isStale]).toEqual([59, false]);
    await vi.waitFor(
      () => {
        const newest = upstream.source.reading();
        expect(newest.reputation(ETH_A)).toMatchObject({ score: 9500 });
        expect([newest.ageSeconds, newest.revision]).toEqual([0, 'r2']);
      },
      { timeout: patienceMs() },
    );
  });

  it('is stale once a request finds the upstream down, until one succeeds', async () => {
    const fake = await fakeUpstream(saying(RECORD, KEPT));
    const upstream = upstreamAt(fake.url);
    const kept = () => {
      const reading = upstream.source.reading();
      // Synchronously.
      expect(reading.reputation(ETH_A)).toMatchObject({ score: 9420 });
      return reading;
    };
    await upstream.source.reading().reputation(ETH_A);
    fake.handler = (req) => req.socket.destroy();
    expect(kept().isStale).toBe(false);
    await expect(async () => upstream.source.reading().reputation(wallet(1))).rejects.toThrow(
      RetryableError,
    );
    upstream.advance(2);
    expect([kept().isStale, kept().ageSeconds]).toEqual([true, 2]);
    fake.handler = saying(RECORD, KEPT);
    upstream.advance(6);
    await vi.waitFor(() => expect(kept().isStale).toBe(false), { timeout: patienceMs() });
  });

  it('stays fresh while the upstream merely limits requests', async () => {
    const fake = await fakeUpstream(saying(RECORD, KEPT));
    const upstream = upstreamAt(fake.url);
    await upstream.source.reading().reputation(ETH_A);
    fake.handler = (_, res) => res.writeHead(429, { 'Retry-After': '20' }).end();
    await expect(async () => upstream.source.reading().reputation(wallet(1))).rejects.toThrow(
      RetryableError,
    );
    const reading = upstream.source.reading();
    expect(reading.reputation(ETH_A)).toMatchObject({ score: 9420 });
    expect(reading.isStale).toBe(false);
  });

  it('is revalidated by its tag, and kept if nothing has changed', async () => {
    const tags: unknown[] = [];
    const fake = await fakeUpstream((req, res) => {
      tags.push(req.headers['if-none-match']);
      if (req.headers['if-none-match'] === KEPT.ETag) res.writeHead(304, KEPT).end();
      else saying(RECORD, KEPT)(req, res);
    });
    const upstream = upstreamAt(fake.url);
    await upstream.source.reading().reputation(ETH_A);
    upstream.advance(200);
    const reading = upstream.source.reading();
    expect((await reading.reputation(ETH_A))?.score).toBe(9420);
    expect([reading.ageSeconds, reading.isStale]).toEqual([0, false]);
    expect(tags).toEqual([undefined, KEPT.ETag]);
  });

  it('has the age that the upstream reports, and is stale if that is', async () => {
    const fake = await fakeUpstream(
      saying(RECORD, { ...KEPT, Age: '12', 'Reputation-Status': 'stale' }),
    );
    const upstream = upstreamAt(fake.url);
    const reading = upstream.source.reading();
    await reading.reputation(ETH_A);
    expect([reading.ageSeconds, reading.isStale]).toEqual([12, true]);
  });

  it('is partial as long as any part of it is partial upstream', async () => {
    let isPartial = true;
    const fake = await fakeUpstream((req, res) => {
      const isBadges = req.url?.includes('badges') === true;
      const headers = isPartial && !isBadges ? { 'Fathom-Data': 'partial' } : {};
      saying(isBadges ? { badges: [] } : RECORD, { ...KEPT, ...headers })(req, res);
    });
    const upstream = upstreamAt(fake.url);
    const reading = upstream.source.reading();
    await reading.reputation(ETH_A);
    await reading.badges(ETH_A);
    expect(reading.isPartial).toBe(true);
    isPartial = false;
    upstream.advance(200);
    const later = upstream.source.reading();
    await later.reputation(ETH_A);
    expect(later.isPartial).toBe(false);
  });

  it('has the age of the oldest one if there are several', async () => {
    const fake = await fakeUpstream((req, res) => {
      const isBadges = req.url?.includes('badges');
      const time = isBadges ? 'Sat, 01 Nov 2025 00:00:00 GMT' : 'Sun, 02 Nov 2025 00:00:00 GMT';
      saying(isBadges ? { badges: [] } : RECORD, { ...KEPT, 'Last-Modified': time })(req, res);
    });
    const upstream = upstreamAt(fake.url);
    await upstream.source.reading().badges(ETH_A);
    upstream.advance(20);
    const reading = upstream.source.reading();
    await reading.badges(ETH_A);
    await reading.reputation(ETH_A);
    expect([reading.ageSeconds, reading.asOf]).toEqual([20, Date.UTC(2025, 10, 1) / 1000]);
  });

  it('expires soon for a wallet never seen, and is never made from a fault', async () => {
    const fake = await fakeUpstream((_, res) => {
      res.writeHead(404, { 'Content-Type': 'application/problem+json' });
      res.end('{"code":"wallet-not-found"}');
    });
    const upstream = upstreamAt(fake.url);
    expect(await upstream.source.reading().reputation(ETH_A)).toBeUndefined();
    expect(await upstream.source.reading().reputation(ETH_A)).toBeUndefined();
    expect(fake.asked).toHaveLength(1);
    upstream.advance(11);
    fake.handler = (_, res) => res.writeHead(500).end();
    await expect(async () => upstream.source.reading().reputation(ETH_A)).rejects.toThrow(
      RetryableError,
    );
    fake.handler = saying(RECORD);
    upstream.advance(15);
    expect((await upstream.source.reading().reputation(ETH_A))?.score).toBe(9420);
  });

  it('expires after a day without a new response', async () => {
    const fake = await fakeUpstream(saying(RECORD, KEPT));
    const upstream = upstreamAt(fake.url);
    await upstream.source.reading().reputation(ETH_A);
    await fake.close();
    upstream.advance(23 * 3600);
    expect((await upstream.source.reading().reputation(ETH_A))?.score).toBe(9420);
    upstream.advance(2 * 3600);
    await expect(async () => upstream.source.reading().reputation(ETH_A)).rejects.toThrow(
      RetryableError,
    );
  });
});
