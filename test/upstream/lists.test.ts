import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { Wallet } from '#wallet/wallet';
import { addressOf } from '../support/import-lines.ts';
import { fakeUpstream, RECORD, upstreamAt } from '../support/upstream.ts';

const walletsOf = (count: number): Wallet[] =>
  Array.from({ length: count }, (_, i) => ({
    chain: 'ethereum',
    address: addressOf('ethereum', i + 1),
  }));

const recordOf = (address: string) => ({ ...RECORD, address, chain: 'ethereum' });

const NOT_FOUND = { code: 'route-not-found' };

/** @param etag for a path */
function answering(
  how: { status?: number; body?: (path: string) => unknown } = {},
  etag = (_path: string) => 'W/"r1"',
) {
  return (req: IncomingMessage, res: ServerResponse) => {
    const path = decodeURIComponent(req.url ?? '');
    const addresses = /addresses=(.*)/.exec(path)?.[1]?.split(',');
    const isList = addresses !== undefined;
    const body = isList
      ? (how.body?.(path) ?? { results: addresses.map(recordOf) })
      : recordOf(path.split('/').at(-1) ?? '');
    res.writeHead(isList ? (how.status ?? 200) : 200, {
      'Content-Type': 'application/json',
      'Cache-Control': 'max-age=30',
      ETag: etag(path),
    });
    res.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

describe('an upstream with lists', () => {
  it('is asked for ten addresses at a time, each once, and not again while that is fresh', async () => {
    const fake = await fakeUpstream(answering());
    const { source } = upstreamAt(fake.url);
    const wallets = walletsOf(25);
    const asked = [...wallets, ...wallets.slice(0, 5)];
    const found = await source.reading('visitor').reputations(asked);
    expect(found.map((each) => each?.address)).toEqual(asked.map(({ address }) => address));
    expect(fake.asked.map((path) => path.split(',').length)).toEqual([10, 10, 5]);
    await source.reading('visitor').reputations(asked);
    expect(fake.asked).toHaveLength(3);
  });

  it('says of which wallets it has no activity', async () => {
    const [first, second] = walletsOf(2) as [Wallet, Wallet];
    const results = [{ address: first.address, code: 'wallet-not-found', detail: '' }];
    const body = () => ({ results: [...results, recordOf(second.address)] });
    const fake = await fakeUpstream(answering({ body }));
    const { source } = upstreamAt(fake.url);
    const found = await source.reading().reputations([first, second]);
    expect(found.map((each) => each?.score)).toEqual([undefined, RECORD.score]);
  });

  it('names the whole by the revisions of all parts', async () => {
    let last = 'r1';
    const fake = await fakeUpstream(
      answering({}, (path) => `W/"${path.includes(addressOf('ethereum', 15)) ? last : 'r1'}"`),
    );
    const upstream = upstreamAt(fake.url);
    const revision = async (count: number) => {
      upstream.advance(600);
      const reading = upstream.source.reading();
      await reading.reputations(walletsOf(count));
      return reading.revision;
    };
    const before = await revision(15);
    expect(await revision(15)).toBe(before);
    const short = await revision(10);
    last = 'r2';
    expect(await revision(15)).not.toBe(before);
    expect(await revision(10)).toBe(short);
  });

  it('is asked for each wallet of a list that is too large, and counts as up, however often', async () => {
    const spaces = ' '.repeat(5 * 1024 * 1024);
    const fake = await fakeUpstream(answering({ body: () => spaces }));
    const upstream = upstreamAt(fake.url);
    for (const first of [0, 10, 20, 30]) {
      const wallets = walletsOf(40).slice(first, first + 10);
      const found = await upstream.source.reading().reputations(wallets);
      expect(found.map((each) => each?.score)).toEqual(wallets.map(() => RECORD.score));
    }
    expect(fake.asked.filter((path) => path.includes('?'))).toHaveLength(4);
    expect(upstream.status().ok).toBe(true);
  });

  it.each([
    ['another wallet', { results: [recordOf(addressOf('ethereum', 9))] }],
    ['too few', { results: [] }],
    ['a broken record', { results: [{ ...recordOf(addressOf('ethereum', 1)), score: '1' }] }],
    ['no address', { results: [{ address: '', code: 'invalid-address', detail: '' }] }],
  ])('is not believed when it sends %s', async (_, body) => {
    const fake = await fakeUpstream(answering({ body: () => body }));
    const { source } = upstreamAt(fake.url);
    await expect(source.reading().reputations(walletsOf(1))).rejects.toThrow('is invalid');
  });
});

describe('an upstream without lists', () => {
  it.each([
    ['a 404 of its own', { status: 404, body: () => NOT_FOUND }],
    ['a page', { status: 404, body: () => '<h1>no</h1>' }],
    ['a page instead', { status: 200, body: () => '<h1>welcome</h1>' }],
    ['something else', { status: 200, body: () => ({ hello: 'world' }) }],
    ['a bad request', { status: 400, body: () => ({}) }],
  ])('is asked singly after %s, and for no list for a while', async (_, how) => {
    const fake = await fakeUpstream(answering(how));
    const upstream = upstreamAt(fake.url);
    const wallets = walletsOf(12);
    const found = await upstream.source.reading().reputations(wallets);
    expect(found.map((each) => each?.address)).toEqual(wallets.map(({ address }) => address));
    expect(fake.asked.filter((path) => path.includes('?'))).toHaveLength(2);
    expect(fake.asked).toHaveLength(14);
    expect(upstream.status().ok).toBe(true);

    await upstream.source.reading().reputations(walletsOf(13));
    expect(fake.asked).toHaveLength(15);
    upstream.advance(601);
    await upstream.source.reading().reputations(walletsOf(1));
    expect(fake.asked.at(-2)).toContain('?addresses=');
  });

  it('gets no more requests than its limit allows', async () => {
    const fake = await fakeUpstream(answering({ status: 404, body: () => NOT_FOUND }));
    const { source } = upstreamAt(fake.url);
    await source.reading('visitor').reputations(walletsOf(60));
    await expect(source.reading('visitor').reputations(walletsOf(100))).rejects.toThrow('busy');
    expect(fake.asked.length).toBeLessThanOrEqual(80);
  });
});
