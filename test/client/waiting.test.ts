import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  ConnectionError,
  Fathom,
  isRetryable,
  RateLimitedError,
  WalletCopy,
} from '../../client/src/index.ts';

const LIMIT = 100;
const WINDOW_MS = 60_000;

interface Service {
  /** Lists that are answered before it goes away for good. */
  readonly lists?: number;
  /** How it says what is left of a window, in seconds. */
  readonly told?: (ms: number) => number;
}

/** A service with Fathom's rate limit, by a clock that the test moves. */
function serviceOf({ lists = Number.POSITIVE_INFINITY, told = seconds }: Service = {}) {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let window = { count: 0, endsAt: -1 };
  const statuses: number[] = [];
  const fetch = async ({ url }: Request): Promise<Response> => {
    const now = performance.now();
    if (now >= window.endsAt) window = { count: 0, endsAt: now + WINDOW_MS };
    const addresses = new URL(url).searchParams.get('addresses')?.split(',') ?? [];
    const cost = Math.max(1, Math.ceil(addresses.length / 10));
    if (statuses.length >= lists) throw new TypeError('connection refused');
    const fits = window.count + cost <= LIMIT;
    if (fits) window.count += cost;
    const left = told(window.endsAt - now);
    const headers = {
      'RateLimit-Policy': `"public";q=${LIMIT};w=60`,
      RateLimit: `"public";r=${LIMIT - window.count};t=${left}`,
      ...(!fits && { 'Retry-After': String(left) }),
    };
    statuses.push(fits ? 200 : 429);
    const results = addresses.map((address) => ({ address, score: 1, tier: 'Shrimp' }));
    const body = fits ? { results } : { code: 'rate-limited' };
    return new Response(JSON.stringify(body), { status: fits ? 200 : 429, headers });
  };
  return { fetch, statuses };
}

const seconds = (ms: number) => Math.ceil(ms / 1000);
const addressesOf = (count: number) => Array.from({ length: count }, (_, i) => `0x${i}`);

/** Lets the time go on until it settles. */
async function inTime<T>(promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const end = () => {
    isSettled = true;
  };
  promise.then(end, end);
  while (!isSettled) await vi.advanceTimersByTimeAsync(500);
  return promise;
}

describe('waiting for the limit', () => {
  it.each([
    ['the seconds of a window', seconds],
    ['a second more, as a server with a fractional clock may', (ms: number) => seconds(ms) + 1],
    ['a second less', (ms: number) => Math.max(0, seconds(ms) - 1)],
  ])('reads a list of many windows where the server tells %s', async (_, told) => {
    const { fetch, statuses } = serviceOf({ told });
    const fathom = new Fathom({ url: 'http://fathom.test', fetch });
    const found = await inTime(fathom.reputations(addressesOf(5_000)));
    expect(found).toHaveLength(5_000);
    expect(found.filter((each) => each instanceof Error)).toEqual([]);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it('keeps what was read of a list, with the error in the place of what was not', async () => {
    const { fetch } = serviceOf({ lists: 3 });
    const fathom = new Fathom({ url: 'http://fathom.test', fetch });
    const addresses = [...addressesOf(350), 'x,y'];
    const found = await inTime(fathom.reputations(addresses));
    expect(found).toHaveLength(351);
    expect(found.slice(0, 300).every((each) => !(each instanceof Error))).toBe(true);
    expect(found.slice(300, 350).every((each) => each instanceof ConnectionError)).toBe(true);
    expect(found.slice(300, 350).every(isRetryable)).toBe(true);
    expect(isRetryable(found[350])).toBe(false);
    // Resumed with what is missing.
    const rest = addresses.filter((_, i) => isRetryable(found[i]));
    expect(rest).toEqual(addressesOf(350).slice(300));
  });

  it('keeps it where the caller wants to wait for less than a window', async () => {
    const { fetch } = serviceOf();
    const fathom = new Fathom({ url: 'http://fathom.test', fetch, maxWait: 5_000 });
    const found = await inTime(fathom.reputations(addressesOf(1_200)));
    expect(found.slice(0, 1_000).every((each) => !(each instanceof Error))).toBe(true);
    expect(found.slice(1_000).every((each) => each instanceof RateLimitedError)).toBe(true);
  });

  it('fails as a whole where nothing was read, or the caller stops it', async () => {
    const { fetch } = serviceOf({ lists: 0 });
    const away = new Fathom({ url: 'http://fathom.test', fetch });
    const lost = inTime(away.reputations(addressesOf(200)));
    await expect(lost).rejects.toBeInstanceOf(ConnectionError);
    const limited = new Fathom({ url: 'http://fathom.test', fetch: serviceOf().fetch });
    const stop = new AbortController();
    const call = { signal: stop.signal };
    const stopped = limited.reputations(addressesOf(2_000), call);
    setTimeout(() => stop.abort(new Error('enough')), 5_000);
    await expect(inTime(stopped)).rejects.toThrow('enough');
  });
});

it('The client goes on filling a copy where it stopped', async () => {
  const wallets = addressesOf(1_200);
  const offsets: number[] = [];
  let isAway = false;
  const fetch = async ({ url }: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(url);
    if (pathname.endsWith('/changes')) {
      return Response.json({ changes: [], next: '1-a', hasMore: false });
    }
    const offset = Number(searchParams.get('offset'));
    if (isAway) return new Response('no', { status: 500 });
    offsets.push(offset);
    isAway = offset === 500;
    const page = wallets.slice(offset, offset + 500);
    const leaderboard = page.map((address) => ({ address, score: 1, tier: 'Shrimp' }));
    return Response.json({ leaderboard, total: wallets.length, limit: 500, offset });
  };
  const copy = new WalletCopy(new Fathom({ url: 'http://fathom.test', fetch }), { settle: 0 });
  const failure = await copy.fill().catch((error: unknown) => error);
  expect(isRetryable(failure)).toBe(true);
  isAway = false;
  await copy.fill();
  expect(copy.wallets.size).toBe(1_200);
  expect(offsets).toEqual([0, 500, 1000]);
});
