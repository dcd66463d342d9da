import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { RequestQueue } from '#upstream/request-queue';
import { type CachedResponse, ResponseCache } from '#upstream/response-cache';
import { readResponseHints } from '#upstream/response-hints';

const entry = (bytes: number): CachedResponse => ({
  record: {},
  revision: 'r',
  etag: undefined,
  dataTime: undefined,
  freshUntil: 0,
  revalidateUntil: 0,
  trueAt: 0,
  isStale: false,
  isPartial: false,
  bytes,
});

describe('the cache', () => {
  it('never exceeds its limits in entries and in bytes', () => {
    const steps = fc.array(
      fc.record({ key: fc.integer({ min: 0, max: 30 }), bytes: fc.nat(60), isRead: fc.boolean() }),
    );
    fc.assert(
      fc.property(steps, (list) => {
        const cache = new ResponseCache(10, 200);
        const sizes = new Map<string, number>();
        for (const { key, bytes, isRead } of list) {
          if (isRead) cache.get(String(key));
          else {
            cache.set(String(key), entry(bytes));
            sizes.set(String(key), bytes);
          }
          expect(cache.size).toBeLessThanOrEqual(10);
          expect(cache.bytes).toBeLessThanOrEqual(200);
          const held = [...sizes].filter(([name]) => cache.get(name) !== undefined);
          expect(held.reduce((sum, [, size]) => sum + size, 0)).toBe(cache.bytes);
        }
      }),
    );
  });

  it('keeps what is read', () => {
    const cache = new ResponseCache(10, 1e6);
    for (let i = 0; i < 100; i++) {
      cache.get('wanted') ?? cache.set('wanted', entry(1));
      cache.set(`other-${i}`, entry(1));
    }
    expect(cache.get('wanted')).toBeDefined();
    expect(cache.get('other-0')).toBeUndefined();
  });
});

describe('the queue', () => {
  const open = { waitMs: () => 0 };
  /** For tests that aren't about timeouts. */
  const still = { now: () => 0, concurrency: 1 };

  it('prefers requests that somebody waits for, including escalated ones', async () => {
    const order: string[] = [];
    const queue = new RequestQueue({ ...still, throttles: [open], capacity: 9 });
    const job = (name: string) => async () => void order.push(name);
    const { promise, resolve } = Promise.withResolvers<void>();
    const first = queue.add(() => promise, 'background', 999);
    const rest = [
      queue.add(job('sweep 1'), 'background', 999),
      queue.add(job('sweep 2'), 'background', 999),
      queue.add(job('member'), 'interactive', 999),
    ];
    rest[1]?.escalate('interactive');
    resolve();
    await Promise.all([first, ...rest].map((ticket) => ticket.result));
    expect(order).toEqual(['member', 'sweep 2', 'sweep 1']);
  });

  it("rejects requests when it is full, those of the sweep before a member's", async () => {
    const queue = new RequestQueue({ ...still, throttles: [open], capacity: 2 });
    const { promise, resolve } = Promise.withResolvers<void>();
    const running = queue.add(() => promise, 'interactive', 999);
    const sweep = [1, 2, 3].map(() => queue.add(async () => 'sweep', 'background', 999).result);
    const settled = Promise.allSettled(sweep);
    const member = queue.add(async () => 'member', 'interactive', 999);
    resolve();
    await running.result;
    expect(await member.result).toBe('member');
    expect((await settled).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
    ]);
  });

  it('holds no request longer than its patience while all slots are taken', async () => {
    const now = () => performance.now();
    const queue = new RequestQueue({ throttles: [open], now, concurrency: 1, capacity: 9 });
    const { promise, resolve } = Promise.withResolvers<void>();
    const running = queue.add(() => promise, 'interactive', 999);
    await expect(queue.add(async () => {}, 'interactive', 30).result).rejects.toThrow(
      RetryableError,
    );
    resolve();
    await running.result;
    expect(queue.length).toBe(0);
  });

  it('rejects waiting requests when it is closed', async () => {
    const closed = { waitMs: () => 500 };
    const queue = new RequestQueue({ ...still, throttles: [closed], capacity: 9 });
    const waiting = queue.add(async () => {}, 'interactive', 999);
    queue.close();
    await expect(waiting.result).rejects.toThrow(RetryableError);
    await expect(queue.add(async () => {}, 'interactive', 9).result).rejects.toThrow(
      RetryableError,
    );
  });
});

describe('the headers of an upstream', () => {
  const date = 'Sat, 21 Nov 2026 06:00:00 GMT';
  it.each([
    [{ 'retry-after': '7' }, { retryAfterMs: 7_000 }],
    [{ 'retry-after': 'Sat, 21 Nov 2026 06:01:00 GMT', date }, { retryAfterMs: 60_000 }],
    [{ 'retry-after': '999999999' }, { retryAfterMs: 86_400_000 }],
    [{ 'retry-after': 'Sat, 21 Nov 2026 05:59:00 GMT', date }, { retryAfterMs: 0 }],
    [{ 'retry-after': 'Sat, 01 Jan 2000 00:00:00 GMT', date }, { retryAfterMs: 0 }],
    // Neither seconds nor a date: it says nothing.
    [{ 'retry-after': '-200000', date }, { retryAfterMs: undefined }],
    [
      { 'x-ratelimit-reset': '1795240920', date: 'Sat, 21 Nov 2026 06:01:00 GMT' },
      { resetMs: 60_000 },
    ],
    [{ ratelimit: '"public";r=3;t=9' }, { remaining: 3, resetMs: 9_000 }],
    [
      { ratelimit: 'limit=50, remaining=4, reset=8' },
      { perMinute: 50, remaining: 4, resetMs: 8_000 },
    ],
    [{ 'ratelimit-policy': '"a";q=600;w=3600' }, { perMinute: 10 }],
    [
      { 'cache-control': 'public, max-age=30, stale-while-revalidate=60', age: '10' },
      { freshMs: 20_000, revalidateMs: 60_000, ageSeconds: 10 },
    ],
    [{ 'cache-control': 'max-age=5', age: '10' }, { freshMs: 0 }],
    [{ date, age: '60' }, { dataTime: Date.UTC(2026, 10, 21, 5, 59) / 1000 }],
    [{ date, 'reputation-status': 'fresh' }, { dataTime: undefined }],
    [{ 'last-modified': date }, { dataTime: Date.UTC(2026, 10, 21, 6) / 1000 }],
  ])('%j say %j', (headers, expected) => {
    expect(readResponseHints(headers)).toMatchObject(expected);
  });

  it('are harmless, whatever they say', () => {
    const names = [
      'retry-after',
      'ratelimit',
      'ratelimit-policy',
      'x-ratelimit-limit',
      'x-ratelimit-reset',
      'x-ratelimit-remaining',
      'cache-control',
      'age',
      'date',
      'last-modified',
      'etag',
    ];
    const value = fc.oneof(fc.string(), fc.array(fc.string()), fc.integer().map(String));
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), value), (headers) => {
        for (const [name, figure] of Object.entries(readResponseHints(headers))) {
          if (typeof figure !== 'number') continue;
          // Only a time may be before 1970.
          expect(figure, name).toBeGreaterThanOrEqual(name === 'dataTime' ? -1e13 : 0);
          expect(Number.isFinite(figure)).toBe(true);
        }
      }),
    );
  });
});
