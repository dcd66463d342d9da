import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { RetryableError } from '#base/errors';
import type { SharedAnswers } from '#cluster/sharing';
import { ETH_A } from '../support/ledger.ts';
import { patienceMs } from '../support/patience.ts';
import { missingRedis, startRedis } from '../support/redis.ts';
import { openImpatientReplica, openReplica } from '../support/redis-shared-state.ts';
import { fakeUpstream, KEPT, RECORD, saying, upstreamAt } from '../support/upstream.ts';

/** In-memory texts that anyone can change. */
class TestAnswers implements SharedAnswers {
  readonly texts = new Map<string, string>();
  readonly ttls: number[] = [];

  get(key: string): Promise<string | undefined> {
    return Promise.resolve(this.texts.get(key));
  }

  set(key: string, text: string, ttlMs: number): Promise<void> {
    this.texts.set(key, text);
    this.ttls.push(ttlMs);
    return Promise.resolve();
  }

  /** Replaces fields of all shared responses. */
  change(fields: object): void {
    for (const [key, text] of this.texts) {
      this.texts.set(key, JSON.stringify({ ...JSON.parse(text), ...fields }));
    }
  }
}

/** Any time, in milliseconds since 1970. */
const START = Date.UTC(2026, 0, 1);

/** Two replicas with a common clock that only advances on request. */
async function twoReplicas(headers: Record<string, string> = KEPT) {
  const answers = new TestAnswers();
  const fake = await fakeUpstream(saying(RECORD, headers));
  const time = { ahead: 0 };
  const now = () => 1e6 + time.ahead;
  const clock = () => START + time.ahead;
  const replica = () => upstreamAt(fake.url, { answers, now, clock });
  return { answers, fake, time, replica, first: replica(), second: replica() };
}

describe('a response that one replica has fetched', () => {
  it('is used by another without a request, with the same revision and age', async () => {
    const { fake, first, second } = await twoReplicas({ ...KEPT, Age: '12' });
    const readings = [first.source.reading(), second.source.reading()] as const;
    await readings[0].reputation(ETH_A);
    expect(await readings[1].reputation(ETH_A)).toMatchObject({ score: 9420 });
    expect(fake.asked).toHaveLength(1);
    expect(readings.map(({ revision }) => revision)).toEqual(['r1', 'r1']);
    expect(readings[1].ageSeconds).toBe(readings[0].ageSeconds);
    expect(readings[1].asOf).toBe(readings[0].asOf);
    // From its own memory from now on.
    expect(second.source.reading().reputation(ETH_A)).toMatchObject({ score: 9420 });
    expect(second.source.recognise(ETH_A.address)).toEqual(ETH_A);
  });

  it('has the same revision without a tag, too', async () => {
    const { first, second, fake } = await twoReplicas({ 'Cache-Control': 'max-age=30' });
    const readings = [first.source.reading(), second.source.reading()] as const;
    for (const each of readings) await each.reputation(ETH_A);
    expect(readings[0].revision).toMatch(/^[0-9a-f]{32}$/);
    expect(readings[1].revision).toBe(readings[0].revision);
    expect(fake.asked).toHaveLength(1);
  });

  it('is partial if the upstream said so', async () => {
    const { first, second, fake } = await twoReplicas({ ...KEPT, 'Fathom-Data': 'partial' });
    await first.source.reading().reputation(ETH_A);
    const reading = second.source.reading();
    await reading.reputation(ETH_A);
    expect([reading.isPartial, fake.asked.length]).toEqual([true, 1]);
  });

  it('is revalidated by its tag once it is stale, by whoever needs it', async () => {
    const { fake, time, replica, first, second } = await twoReplicas();
    await first.source.reading().reputation(ETH_A);
    time.ahead = 40_000;
    const tags: unknown[] = [];
    fake.handler = (req, res) => {
      tags.push(req.headers['if-none-match']);
      res.writeHead(304, KEPT).end();
    };
    const reading = second.source.reading();
    expect(await reading.reputation(ETH_A)).toMatchObject({ score: 9420 });
    expect([reading.ageSeconds, reading.isStale, reading.revision]).toEqual([0, false, 'r1']);
    expect(tags).toEqual([KEPT.ETag]);
    // It's shared again, with its new time.
    const third = replica();
    expect(await third.source.reading().reputation(ETH_A)).toMatchObject({ score: 9420 });
    expect(tags).toHaveLength(1);
  });

  it('is taken from another replica instead of revalidating it', async () => {
    const { fake, time, first, second } = await twoReplicas();
    await first.source.reading().reputation(ETH_A);
    await second.source.reading().reputation(ETH_A);
    fake.handler = saying({ ...RECORD, score: 9500 }, { ...KEPT, ETag: 'W/"r2"' });
    time.ahead = 100_000;
    await first.source.reading().reputation(ETH_A);
    const reading = second.source.reading();
    expect(await reading.reputation(ETH_A)).toMatchObject({ score: 9500 });
    expect(reading.revision).toBe('r2');
    expect(fake.asked).toHaveLength(2);
  });

  it('is served as stale by one that has never queried, while the upstream is down', async () => {
    const { fake, time, first, second } = await twoReplicas();
    await first.source.reading().reputation(ETH_A);
    time.ahead = 40_000;
    await fake.close();
    const reading = second.source.reading();
    expect(await reading.reputation(ETH_A)).toMatchObject({ score: 9420 });
    expect(reading.isStale).toBe(true);
    expect(reading.ageSeconds).toBeGreaterThanOrEqual(40);
  });

  it('is shared as "never seen" for no longer than it is cached', async () => {
    const { answers, fake, replica, first, second } = await twoReplicas();
    fake.handler = (_, res) => res.writeHead(404).end('{"code":"wallet-not-found"}');
    expect(await first.source.reading().reputation(ETH_A)).toBeUndefined();
    expect(await second.source.reading().reputation(ETH_A)).toBeUndefined();
    expect(fake.asked).toHaveLength(1);
    expect(answers.ttls).toEqual([10_000]);
    // A lie about how long it's valid.
    answers.change({ fresh: 50_000, lasts: 50_000 });
    const third = replica();
    expect(await third.source.reading().reputation(ETH_A)).toBeUndefined();
    expect(fake.asked).toHaveLength(2);
  });

  it('belongs to one upstream only', async () => {
    const { answers, first } = await twoReplicas();
    await first.source.reading().reputation(ETH_A);
    const other = await fakeUpstream(saying({ ...RECORD, score: 1 }, KEPT));
    const { source } = upstreamAt(other.url, { answers });
    expect(await source.reading().reputation(ETH_A)).toMatchObject({ score: 1 });
  });
});

describe('clocks that differ', () => {
  it.each([
    ['a little before', -5_000, 1, 0],
    ['a little after', 5_000, 1, 5],
    ['far before', -60_000, 2, 0],
    ['far after', 60_000, 2, 0],
  ])('%s the other replica never make an age negative', async (_, ahead, asked, age) => {
    const { answers, fake, first } = await twoReplicas();
    await first.source.reading().reputation(ETH_A);
    const second = upstreamAt(fake.url, { answers, clock: () => START + ahead });
    const reading = second.source.reading();
    expect(await reading.reputation(ETH_A)).toMatchObject({ score: 9420 });
    expect(fake.asked).toHaveLength(asked);
    expect(reading.ageSeconds).toBe(age);
  });
});

describe('entries written by somebody else', () => {
  const shared = { at: 0, age: 0, fresh: 30_000, lasts: 90_000, isStale: false, isPartial: false };
  const text = JSON.stringify(RECORD);
  it.each<[string, string | object]>([
    ['no JSON', '{"at": 1'],
    ['nothing', ''],
    ['a list', '[]'],
    ['null', 'null'],
    ['an object of nothing', {}],
    ['a body that is no JSON', { ...shared, text: '{"score":' }],
    ['a body that is no text', { ...shared, text: RECORD }],
    ['a score that is none', { ...shared, text: JSON.stringify({ ...RECORD, score: -1 }) }],
    ['another wallet', { ...shared, text: JSON.stringify({ ...RECORD, address: '0x1' }) }],
    ['a negative age', { ...shared, text, age: -5 }],
    ['an age beyond all', { ...shared, text, age: 1e12 }],
    ['an age that is none', { ...shared, text, age: '1' }],
    ['freshness for ever', { ...shared, text, fresh: 1e12 }],
    ['showing it for ever', { ...shared, text, lasts: 1e12 }],
    ['a tag that breaks a header', { ...shared, text, etag: '"a"\r\nX: 1' }],
    ['a tag that is none', { ...shared, text, etag: 5 }],
    ['neither stale nor not', { ...shared, text, isStale: 'no' }],
    ['neither partial nor not', { ...shared, text, isPartial: 1 }],
    ['a time of the data that is none', { ...shared, text, dataTime: 1e300 }],
    ['a time to come', { ...shared, text, at: 9e12 }],
    ['far too much', { ...shared, text: `${text}${' '.repeat(2e6)}` }],
  ])('is not believed: %s', async (_, written) => {
    const fake = await fakeUpstream(saying(RECORD, KEPT));
    const value = typeof written === 'string' ? written : JSON.stringify({ ...written });
    const now = value.replace('"at":0', `"at":${START}`);
    const answers = { get: () => Promise.resolve(now), set: () => Promise.resolve() };
    const reading = upstreamAt(fake.url, { answers, clock: () => START }).source.reading();
    expect(await reading.reputation(ETH_A)).toMatchObject({ score: 9420 });
    expect([reading.revision, reading.ageSeconds, reading.isStale]).toEqual(['r1', 0, false]);
    expect(fake.asked).toHaveLength(1);
  });

  it('are accepted if they could be a response of the upstream', async () => {
    const fake = await fakeUpstream(saying(RECORD, KEPT));
    const value = JSON.stringify({ ...shared, at: START, text });
    const answers = { get: () => Promise.resolve(value), set: () => Promise.resolve() };
    await upstreamAt(fake.url, { answers, clock: () => START })
      .source.reading()
      .reputation(ETH_A);
    expect(fake.asked).toHaveLength(0);
  });
});

describe.skipIf(missingRedis !== undefined)('answers in Redis', () => {
  it('are found by another replica, and missed by none while the cache is down', async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.remove());
    const fake = await fakeUpstream(saying(RECORD, KEPT));
    const impatient = await openImpatientReplica(redis);
    // Patient, until it's supposed to be down.
    const replica = async () => {
      let { answers: current } = await openReplica(redis);
      const answers: SharedAnswers = {
        get: (...call) => current.get(...call),
        set: (...call) => current.set(...call),
      };
      const { source, advance } = upstreamAt(fake.url, { answers, clock: () => START });
      const loseIt = () => {
        current = impatient.answers;
      };
      return { source, advance, loseIt };
    };
    const [first, second] = [await replica(), await replica()];
    await first.source.reading().reputation(ETH_A);
    await vi.waitFor(
      async () => expect(await redis.command('keys', 'fathom:answer:*')).toHaveLength(1),
      { timeout: patienceMs() },
    );
    expect(await second.source.reading().reputation(ETH_A)).toMatchObject({ score: 9420 });
    expect(fake.asked).toHaveLength(1);
    redis.freeze();
    onTestFinished(() => redis.thaw());
    for (const each of [first, second]) each.loseIt();
    expect(await second.source.reading().badges(ETH_A)).toMatchObject({ total: 0 });
    redis.thaw();
    await redis.kill();
    second.advance(100);
    expect(await second.source.reading().reputation(ETH_A)).toMatchObject({ score: 9420 });
    expect(fake.asked).toHaveLength(3);
    await expect(async () => first.source.reading().stats()).rejects.toThrow(RetryableError);
  });
});
