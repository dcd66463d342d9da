import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { parseBreakdown, parseHistory, parseProvenance } from '#upstream/response-bodies';
import { ETH_A } from '../support/ledger.ts';
import { fakeUpstream, saying, upstreamAt } from '../support/upstream.ts';

const NOT_THERE = { code: 'route-not-found' };

/** Responses of servers without these resources. */
const WITHOUT: [name: string, type: string, body: string][] = [
  ['an older Fathom', 'application/problem+json', JSON.stringify({ code: 'route-not-found' })],
  ['another service', 'application/json', '{"message":"no such route"}'],
  ['a server of pages', 'text/html', '<h1>Not Found</h1>'],
];

function notFound(type: string, body: string) {
  return (_: unknown, res: ServerResponse) => {
    res.writeHead(404, { 'Content-Type': type });
    res.end(body);
  };
}

describe('an upstream without explanations of scores', () => {
  it.each(WITHOUT)(
    '%s: says so, is queried once a minute, and stays trusted',
    async (_, type, body) => {
      const fake = await fakeUpstream(notFound(type, body));
      const upstream = upstreamAt(fake.url);
      const { source } = upstream;
      for (let again = 0; again < 2; again++) {
        const ask = async () => source.reading().breakdown(ETH_A);
        await expect(ask()).rejects.toMatchObject(NOT_THERE);
        await expect(async () => source.reading().history(ETH_A, {})).rejects.toMatchObject(
          NOT_THERE,
        );
        await expect(async () => source.reading().provenance()).rejects.toMatchObject(NOT_THERE);
      }
      expect(fake.asked).toHaveLength(3);
      // The resources it has are still used.
      fake.handler = saying({ address: ETH_A.address, activities: [], total: 0 });
      const reading = source.reading();
      expect(await reading.activity(ETH_A, 5)).toMatchObject({ total: 0 });
      expect(reading.isStale).toBe(false);
      // It may get updated.
      fake.handler = saying({ address: ETH_A.address, days: [{ day: '2025-01-01', score: 5 }] });
      upstream.advance(61);
      expect((await source.reading().history(ETH_A, {}))?.days).toHaveLength(1);
    },
  );

  it('is asked for all activities, page by page, and believed where pages add up', async () => {
    const activity = (id: string) => ({
      ...{ id, type: 'vote', description: 'Voted', points: 5 },
      timestamp: '2025-12-15T14:30:00Z',
    });
    const page = {
      address: ETH_A.address,
      activities: [activity('act_b'), activity('act_c')],
      next: 'act_c',
      hasMore: true,
    };
    const fake = await fakeUpstream(saying(page));
    const upstream = upstreamAt(fake.url);
    const ask = async (after: string | undefined) =>
      upstream.source.reading().activities(ETH_A, { after, limit: 2 });
    expect(await ask('act_a')).toEqual(page);
    expect(fake.asked.at(-1)).toMatch(/\/activities\/0x\w+\?after=act_a&limit=2$/);
    fake.handler = saying({ ...page, next: 'act_b' });
    await expect(ask('act_x')).rejects.toBeInstanceOf(RetryableError);
    fake.handler = (_, res) => {
      res.writeHead(410, { 'Content-Type': 'application/problem+json' });
      res.end(JSON.stringify({ code: 'cursor-gone' }));
    };
    await expect(ask('act_y')).rejects.toMatchObject({ code: 'cursor-gone' });
    fake.handler = notFound('application/json', '{"message":"no such route"}');
    await expect(ask('act_z')).rejects.toMatchObject(NOT_THERE);
  });

  it('is distinguished from a wallet that it has never seen', async () => {
    const body = JSON.stringify({ code: 'wallet-not-found' });
    const fake = await fakeUpstream(notFound('application/problem+json', body));
    const { source } = upstreamAt(fake.url);
    expect(await source.reading().breakdown(ETH_A)).toBeUndefined();
    expect(await source.reading().history(ETH_A, { from: 0, to: 9 })).toBeUndefined();
    expect(fake.asked.at(-1)).toMatch(/\?from=1970-01-01&to=1970-01-10$/);
  });

  it('is not believed if its numbers do not add up', async () => {
    const body = { score: 5, rules: [], imported: { points: 4, count: 1 }, asOf: null };
    const { source } = upstreamAt((await fakeUpstream(saying(body))).url);
    await expect(async () => source.reading().breakdown(ETH_A)).rejects.toBeInstanceOf(
      RetryableError,
    );
  });
});

const OTHER = { address: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359' };

describe('an explanation from an upstream', () => {
  const rule = {
    ...{ id: 'vote', version: 1, points: -3, count: 1 },
    ...{ capped: 0, decayed: 0, discounted: 0, newest: '2025-01-01T00:00:00+01:00' },
  };

  const of = (change: object) => ({
    ...{ score: 1, rules: [{ ...rule, ...change }], imported: { points: 4, count: 1 }, asOf: null },
  });
  const provenance = { rules: null, sources: [], asOf: null, digest: 'a'.repeat(64) };

  it('is converted to our form', () => {
    const body = {
      score: 1,
      rules: [rule],
      imported: { points: 4, count: 1, more: 1 },
      asOf: null,
    };
    const { address } = ETH_A;
    const read = { ...rule, title: 'vote', newest: '2024-12-31T23:00:00Z' };
    const imported = { points: 4, count: 1 };
    expect(parseBreakdown(body, ETH_A)).toEqual({ ...body, address, rules: [read], imported });
  });

  it.each<[string, () => unknown]>([
    ['a rule without an id', () => parseBreakdown(of({ id: 'A"' }), ETH_A)],
    ['points that are no integer', () => parseBreakdown(of({ points: 1.5 }), ETH_A)],
    ['negative points held back', () => parseBreakdown(of({ capped: -1 }), ETH_A)],
    ['a breakdown of another wallet', () => parseBreakdown({ ...of({}), ...OTHER }, ETH_A)],
    ['a history of another wallet', () => parseHistory({ days: [], ...OTHER }, ETH_A)],
    ['a day that is none', () => parseHistory({ days: [{ day: '2025-02-30', score: 1 }] }, ETH_A)],
    ['a digest that is none', () => parseProvenance({ ...provenance, digest: 'x' })],
    [
      'a source with a hostile id',
      () => parseProvenance({ ...provenance, sources: [{ id: '"' }] }),
    ],
  ])('%s is refused', (_, parse) => {
    expect(parse).toThrow();
  });

  it('may name chains and single nodes', () => {
    const source = { id: 'eth', chain: 'eip155:1', height: 5, hash: '0xab', at: null, nodes: 1 };
    expect(parseProvenance({ ...provenance, sources: [source] }).sources).toEqual([source]);
  });
});
