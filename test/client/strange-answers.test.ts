import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  ConnectionError,
  Fathom,
  hasTier,
  type Tier,
  WalletNotFoundError,
} from '../../client/src/index.ts';
import { readEvents } from '../../client/src/sse.ts';

const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const WALLET = { address: ADDRESS, score: 7_190, tier: 'Whale' };

const json = (body: unknown, init: ResponseInit = {}) => new Response(JSON.stringify(body), init);
const answering = (body: unknown) =>
  new Fathom({ url: 'http://fathom.test', fetch: async () => json(body) });

describe('a gate whose answer is strange', () => {
  it.each([
    ['nothing of a wallet, as from another service', {}],
    ['a list', []],
    ['a tier of a later version', { ...WALLET, tier: 'Kraken' }],
    ['a tier that every object has', { ...WALLET, tier: 'constructor' }],
    ['no tier', { ...WALLET, tier: null }],
  ])('takes %s for unknown, never for a no', async (_, body) => {
    expect(await answering(body).hasTier(ADDRESS, 'Shrimp')).toBeUndefined();
  });

  it.each([502, 503])('takes a %s that speaks of no wallet for unknown', async (status) => {
    const body = { code: 'wallet-not-found', detail: 'No activity.' };
    const fetch = async () => json(body, { status });
    const fathom = new Fathom({ url: 'http://fathom.test', fetch, maxWait: 0 });
    expect(await fathom.hasTier(ADDRESS, 'Shrimp')).toBeUndefined();
    const error = await fathom.reputation(ADDRESS).catch((reason: unknown) => reason);
    expect(error).not.toBeInstanceOf(WalletNotFoundError);
    expect(error).toMatchObject({ status, code: 'unexpected-response', message: body.detail });
  });

  it('refuses to ask for a tier that there is none of, whatever was found', async () => {
    const wrong = 'whale' as Tier;
    await expect(answering(WALLET).hasTier(ADDRESS, wrong)).rejects.toThrow(RangeError);
    expect(() => hasTier(new Error('away'), wrong)).toThrow('Shrimp, Dolphin, Shark, Whale, Titan');
    expect(await answering(WALLET).hasTier(ADDRESS, 'Whale')).toBe(true);
  });
});

describe('a server that hangs', () => {
  /** Begins each answer, and never ends it. */
  function hangingWith(status: number | undefined) {
    const asked: string[] = [];
    const fetch = async ({ url, signal }: Request): Promise<Response> => {
      asked.push(url);
      const { promise, reject } = Promise.withResolvers<never>();
      signal.addEventListener('abort', () => reject(signal.reason));
      if (status === undefined) return await promise;
      const body = new ReadableStream({ pull: () => promise });
      return new Response(body, { status });
    };
    return { asked, fetch };
  }

  it.each([undefined, 200, 404, 429, 503])(
    'is unknown to a gate within timeout and maxWait, by status %s before it hangs',
    async (status) => {
      const { asked, fetch } = hangingWith(status);
      const fathom = new Fathom({ url: 'http://fathom.test', fetch, timeout: 20, maxWait: 0 });
      expect(await fathom.hasTier(ADDRESS, 'Shrimp')).toBeUndefined();
      await expect(fathom.reputation(ADDRESS)).rejects.toBeInstanceOf(ConnectionError);
      expect(asked).toHaveLength(2);
    },
  );
});

it('A timeout of the client is kept although the garbage collector runs meanwhile', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const collecting = setInterval(collect, 20);
  const server = createServer(() => undefined).listen(0, '127.0.0.1');
  onTestFinished(() => {
    clearInterval(collecting);
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fathom = new Fathom({ url, timeout: 300, maxWait: 0 });
  expect(await fathom.hasTier(ADDRESS, 'Shrimp')).toBeUndefined();
  const giveUp = new AbortController();
  setTimeout(() => giveUp.abort(new Error('enough')), 300);
  const patient = new Fathom({ url });
  await expect(patient.reputation(ADDRESS, { signal: giveUp.signal })).rejects.toThrow('enough');
});

describe('a limit of what stands in front of the service', () => {
  /** Refuses until that time, by a clock that the test moves. */
  function limitedUntil(endsAt: number, headers: () => Record<string, string>) {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout', 'Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const began = performance.now();
    const asked: number[] = [];
    const fetch = async () => {
      const at = performance.now() - began;
      asked.push(at);
      return at < endsAt ? json({}, { status: 429, headers: headers() }) : json(WALLET);
    };
    return { asked, fathom: new Fathom({ url: 'http://fathom.test', fetch }) };
  }

  async function scoreOf(fathom: Fathom): Promise<number> {
    const found = fathom.reputation(ADDRESS);
    found.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(130_000);
    return (await found).score;
  }

  it('is waited for until the date that it tells, by its own clock', async () => {
    // Its clock is an hour ahead.
    const { asked, fathom } = limitedUntil(40_000, () => ({
      Date: new Date(Date.now() + 3_600_000).toUTCString(),
      'Retry-After': new Date(Date.now() + 3_640_000).toUTCString(),
    }));
    expect(await scoreOf(fathom)).toBe(WALLET.score);
    expect(asked).toHaveLength(2);
  });

  it.each(['UTC', 'Asia/Tokyo', 'America/New_York'])(
    'may tell a date without a zone, whatever the zone here: %s',
    async (zone) => {
      vi.stubEnv('TZ', zone);
      onTestFinished(() => void vi.unstubAllEnvs());
      // C's form, which HTTP still has: Sun Nov  6 08:49:37 1994.
      const asctime = (ms: number) =>
        new Date(ms)
          .toUTCString()
          .replace(/^(\w+), 0?(\d+) (\w+) (\d+) (\S+) GMT$/, (_, name, day, month, year, time) =>
            [name, month, day.padStart(2), time, year].join(' '),
          );
      const { asked, fathom } = limitedUntil(40_000, () => ({
        'Retry-After': asctime(Date.now() + 40_000),
      }));
      expect(await scoreOf(fathom)).toBe(WALLET.score);
      expect(asked).toHaveLength(2);
    },
  );

  it('that tells nothing is asked ever less often', async () => {
    const { asked, fathom } = limitedUntil(60_000, () => ({}));
    expect(await scoreOf(fathom)).toBe(WALLET.score);
    expect(asked.length).toBeLessThan(12);
  });
});

describe('a stream that comes in tiny pieces', () => {
  function* pieces(text: string, count: number) {
    const piece = new TextEncoder().encode(text);
    for (let i = 0; i < count; i++) yield piece;
  }

  it('is read in time that grows with its length alone', async () => {
    // If every piece read the line again, this would take minutes.
    const body = ReadableStream.from(
      (function* () {
        yield* pieces('data:', 1);
        yield* pieces('x', 400_000);
        yield* pieces('\r', 2);
      })(),
    );
    const events = await Array.fromAsync(readEvents(body, 60_000));
    expect(events.map(({ data }) => data.length)).toEqual([400_000]);
  });

  it('is given up once its line is too long, though it never ends', async () => {
    const body = ReadableStream.from(pieces('data: '.padEnd(100, 'x'), Number.POSITIVE_INFINITY));
    await expect(Array.fromAsync(readEvents(body, 60_000))).rejects.toThrow(ConnectionError);
  });
});
