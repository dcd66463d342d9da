import { describe, expect, it } from 'vitest';
import {
  ConnectionError,
  CursorGoneError,
  Fathom,
  FathomError,
  type FathomOptions,
  hasTier,
  InvalidAddressError,
  InvalidApiKeyError,
  RateLimitedError,
  WalletNotFoundError,
} from '../../client/src/index.ts';
import { type TestApi, testApi } from '../support/api.ts';
import { ALGO, ETH, ETH_2, ETH_UNSEEN, SOL } from '../support/api-source.ts';

const START = 1_765_809_000_000;

/** A client of an API, and the statuses of its responses. */
function clientOf(api: TestApi, options: Partial<FathomOptions> = {}) {
  const statuses: number[] = [];
  const note = ({ status }: Response) => void statuses.push(status);
  const onResponse = options.onResponse ?? note;
  return { fathom: new Fathom({ url: api.url, ...options, onResponse }), statuses };
}

describe('the client', () => {
  it('reads each resource', async () => {
    const api = await testApi();
    const { fathom } = clientOf(api);
    const json = async (path: string) => ({
      ...((await (await api.get(path)).json()) as object),
      ...{ stale: false, partial: false },
    });
    expect(await fathom.reputation(ETH)).toEqual(await json(`/v1/reputation/${ETH}`));
    expect(await fathom.badges(ETH)).toEqual(await json(`/v1/badges/${ETH}`));
    expect(await fathom.activity(ETH, { limit: 3 })).toEqual(
      await json(`/v1/activity/${ETH}?limit=3`),
    );
    expect(await fathom.leaderboard({ chain: 'eth', limit: 1 })).toEqual(
      await json('/v1/leaderboard?chain=eth&limit=1'),
    );
    expect(await fathom.stats()).toEqual(await json('/v1/stats/global'));
    expect(await fathom.breakdown(ETH)).toEqual(await json(`/v1/breakdown/${ETH}`));
    const range = { from: '2025-01-01', to: '2026-01-01' };
    expect(await fathom.history(ETH, range)).toEqual(
      await json(`/v1/history/${ETH}?from=2025-01-01&to=2026-01-01`),
    );
    expect(await fathom.provenance()).toEqual(await json('/v1/provenance'));
    const { data } = await fathom.api.GET('/stats/global', {});
    expect({ ...data, stale: false, partial: false }).toEqual(await fathom.stats());
  });

  it('reads any number of wallets by lists, with an error in the place of one', async () => {
    const api = await testApi();
    const { fathom, statuses } = clientOf(api);
    const asked = Array.from({ length: 250 }, (_, i) => [ETH, 'x,y', ETH_UNSEEN][i % 3] as string);
    asked[1] = 'nonsense';
    const found = await fathom.reputations(asked.filter((each) => each !== 'x,y'));
    expect(found[0]).toMatchObject({ address: ETH, score: 9420 });
    expect(found[1]).toBeInstanceOf(InvalidAddressError);
    expect(found[2]).toBeInstanceOf(WalletNotFoundError);
    expect(found).toHaveLength(asked.filter((each) => each !== 'x,y').length);
    expect(statuses).toEqual([200, 200]);
    const [badges] = await fathom.badgeLists([ETH]);
    expect(badges).toEqual(await fathom.badges(ETH));
    expect(await fathom.reputations([])).toEqual([]);
  });

  it('never shifts the results of a list by what is no address', async () => {
    const { fathom, statuses } = clientOf(await testApi());
    const nonsense = [`x,${ETH}`, '', ' ', `%2C${ETH}`, 'x'.repeat(9_000), `${ETH}&chain=sol`];
    for (const each of nonsense) {
      const [first, second, ...more] = await fathom.reputations([each, ETH]);
      expect(first).toBeInstanceOf(InvalidAddressError);
      expect(second).toMatchObject({ address: ETH });
      expect(more).toEqual([]);
      expect(await fathom.badgeLists([each])).toEqual([first]);
    }
    expect(Math.max(...statuses)).toBe(304);
  });

  it.each([
    { isStale: true, isPartial: false },
    { isStale: false, isPartial: true },
  ])('says in each result how current and complete it is: %o', async (state) => {
    const api = await testApi();
    const { fathom } = clientOf(api);
    await fathom.reputation(ETH);
    Object.assign(api.source, state);
    const freshness = { stale: state.isStale, partial: state.isPartial };
    expect(await fathom.reputation(ETH)).toMatchObject({ address: ETH, ...freshness });
    expect(await fathom.leaderboard()).toMatchObject({ total: 4, ...freshness });
    expect(await fathom.stats()).toMatchObject(freshness);
    const unseen = { code: 'wallet-not-found', ...freshness };
    await expect(fathom.reputation(ETH_UNSEEN)).rejects.toMatchObject(unseen);
    const lists = await fathom.reputations([ETH, ETH_UNSEEN, 'nonsense']);
    expect(lists).toMatchObject([{ score: 9420, ...freshness }, unseen, freshness]);
    for await (const user of fathom.users()) expect(user).toMatchObject(freshness);
    Object.assign(api.source, { isStale: false, isPartial: false });
    expect(await fathom.reputation(ETH)).toMatchObject({ stale: false, partial: false });
  });

  it('gates by tier, and never takes what is not known for a no', async () => {
    const api = await testApi();
    const { fathom } = clientOf(api, { maxWait: 0 });
    const gate = async (address: string) => [
      await fathom.hasTier(address, 'Shark'),
      hasTier((await fathom.reputations([address]))[0] as Error, 'Shark'),
    ];
    expect(await gate(ETH)).toEqual([true, true]);
    expect(await gate(SOL)).toEqual([true, true]);
    expect(await gate(ETH_2)).toEqual([false, false]);
    expect(await gate(ETH_UNSEEN)).toEqual([false, false]);
    await expect(fathom.hasTier('nonsense', 'Shark')).rejects.toBeInstanceOf(InvalidAddressError);
    for (const state of ['isStale', 'isPartial'] as const) {
      api.source[state] = true;
      for (const address of [ETH, ETH_2, ETH_UNSEEN]) {
        expect(await gate(address)).toEqual([undefined, undefined]);
      }
      api.source[state] = false;
    }
    const away = new Fathom({ url: 'http://127.0.0.1:9', maxWait: 0 });
    expect(await away.hasTier(ETH, 'Shark')).toBeUndefined();
    await expect(away.hasTier(ETH, 'shark' as 'Shark')).rejects.toThrow(RangeError);
    expect(hasTier(new ConnectionError('away'), 'Shark')).toBeUndefined();
  });

  it('goes through all users', async () => {
    const { fathom, statuses } = clientOf(await testApi());
    const users = await Array.fromAsync(fathom.users({ limit: 1 }));
    expect(users.map(({ rank }) => rank)).toEqual([1, 2, 2, 4]);
    expect(statuses).toHaveLength(4);
    expect(await Array.fromAsync(fathom.users({ chain: 'sol' }))).toMatchObject([{ address: SOL }]);
    expect(await Array.fromAsync(fathom.users({ offset: 9 }))).toEqual([]);
  });

  it('goes through all users by pages of the most that the service gives', async () => {
    const api = await testApi();
    const asked: string[] = [];
    const { fathom } = clientOf(api, {
      fetch: (request) => {
        const url = new URL(request.url);
        asked.push(url.search);
        url.searchParams.set('limit', '2');
        return fetch(url);
      },
    });
    const users = await Array.fromAsync(fathom.users({ limit: 3 }));
    expect(users.map(({ rank }) => rank)).toEqual([1, 2, 2, 4]);
    expect(new Set(users.map(({ address }) => address)).size).toBe(4);
    expect(asked).toEqual(['?limit=3&offset=0', '?limit=3&offset=2']);
  });

  it('reads all activities, and goes on after the last one it has', async () => {
    const { fathom } = clientOf(await testApi());
    const all = await Array.fromAsync(fathom.allActivities(ETH, { limit: 100 }));
    expect(all).toHaveLength(260);
    expect(new Set(all.map(({ id }) => id)).size).toBe(260);
    const after = all[199]?.id ?? '';
    expect(await Array.fromAsync(fathom.allActivities(ETH, { after }))).toEqual(all.slice(200));
    const gone = fathom.activities(ETH, { after: 'act_nothing' });
    await expect(gone).rejects.toBeInstanceOf(CursorGoneError);
  });

  it('throws an error by its code', async () => {
    const api = await testApi();
    const { fathom } = clientOf(api);
    const unseen = await fathom.reputation(ETH_UNSEEN).catch((error: unknown) => error);
    expect(unseen).toBeInstanceOf(WalletNotFoundError);
    expect(unseen).toBeInstanceOf(FathomError);
    expect(unseen).toMatchObject({
      code: 'wallet-not-found',
      status: 404,
      name: 'WalletNotFoundError',
    });
    expect((unseen as FathomError).requestId).toMatch(/^\w+-\d+$/);
    for (const each of ['%zz/..', '', '.', '..', '\ud800', 'x\udc00']) {
      await expect(fathom.reputation(each)).rejects.toBeInstanceOf(InvalidAddressError);
      await expect(fathom.badges(each)).rejects.toBeInstanceOf(InvalidAddressError);
    }
    const wrong = fathom.leaderboard({ limit: 0 });
    await expect(wrong).rejects.toMatchObject({ errors: [{ parameter: 'limit' }] });
    const { fathom: keyed } = clientOf(api, { apiKey: 'fth_wrong' });
    await expect(keyed.stats()).rejects.toBeInstanceOf(InvalidApiKeyError);
    const away = new Fathom({ url: 'http://127.0.0.1:9', maxWait: 0 });
    await expect(away.stats()).rejects.toBeInstanceOf(ConnectionError);
    await expect(fathom.stats({ signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
  });

  it('sends its key, by which a higher limit applies', async () => {
    const api = await testApi();
    const { fathom } = clientOf(api, {
      apiKey: api.keys.create(),
      onResponse: ({ headers }) => expect(headers.get('ratelimit')).toContain('"key"'),
    });
    await fathom.stats();
    expect(api.keys.lookups).toBe(1);
  });
});

describe('the cache', () => {
  it('revalidates by ETag, and answers from it while the data is the same', async () => {
    const api = await testApi();
    const { fathom, statuses } = clientOf(api);
    const first = await fathom.reputation(ETH);
    expect(await fathom.reputation(ETH)).toEqual(first);
    api.source.revision = 'rev-2';
    await fathom.reputation(ETH);
    expect(statuses).toEqual([200, 304, 200]);
  });

  it('is bounded, and the least recently used goes first', async () => {
    const api = await testApi();
    const { fathom, statuses } = clientOf(api, { cache: { entries: 2, characters: 1e6 } });
    for (const address of [ETH, SOL, ETH, ALGO, ETH, SOL]) await fathom.reputation(address);
    expect(statuses).toEqual([200, 200, 304, 200, 304, 200]);
    const { fathom: tiny, statuses: all } = clientOf(api, {
      cache: { entries: 9, characters: 10 },
    });
    for (const address of [ETH, ETH]) await tiny.reputation(address);
    expect(all).toEqual([200, 200]);
  });

  it('has a place for what it revalidates, although others took it meanwhile', async () => {
    const api = await testApi();
    let isAsked = () => {};
    let mayAnswer: Promise<unknown> = Promise.resolve();
    const { fathom, statuses } = clientOf(api, {
      cache: { entries: 1, characters: 1e6 },
      fetch: async (request) => {
        const response = await fetch(request);
        if (response.status !== 304) return response;
        isAsked();
        await mayAnswer;
        return response;
      },
    });
    const first = await fathom.reputation(ETH);
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    mayAnswer = asked.then(() => fathom.reputation(SOL));
    expect(await fathom.reputation(ETH)).toEqual(first);
    expect(statuses).toEqual([200, 200, 304]);
  });
});

describe('the limit', () => {
  it('is never exceeded: what does not fit waits for the next window', async () => {
    const api = await testApi({ limits: { public: 12, key: 12 } });
    api.time.now = START;
    await api.get('/v1/stats/global');
    // The window ends in a second.
    api.time.now = START + 59_000;
    const remaining: (string | null)[] = [];
    const { fathom, statuses } = clientOf(api, {
      onResponse: (response) => {
        statuses.push(response.status);
        remaining.push(response.headers.get('x-ratelimit-remaining'));
        if (remaining.at(-1) === '0') api.time.now = START + 60_000;
      },
    });
    await fathom.stats();
    const hundred = Array<string>(100).fill(ETH);
    expect(await fathom.reputations(hundred)).toHaveLength(100);
    // The window is new once the first has waited for it.
    const others = [fathom.reputation(ETH), fathom.reputation(SOL), fathom.reputation(ALGO)];
    expect(await Promise.all(others)).toHaveLength(3);
    expect(statuses).not.toContain(429);
    expect(remaining.slice(0, 2)).toEqual(['10', '0']);
  });

  it('is told where the wait would be too long', async () => {
    const api = await testApi({ limits: { public: 2, key: 12 } });
    api.time.now = START;
    const { fathom, statuses } = clientOf(api, { maxWait: 1_000 });
    await fathom.stats();
    await fathom.stats();
    const refused = await fathom.stats().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(RateLimitedError);
    expect((refused as FathomError).retryAfter).toBeGreaterThan(50);
    expect(statuses).toEqual([200, 304]);
    const { fathom: other } = clientOf(api, { maxWait: 1_000 });
    await expect(other.stats()).rejects.toMatchObject({ code: 'rate-limited', retryAfter: 60 });
  });

  it('a server that is away for a moment is asked again', async () => {
    const api = await testApi();
    let failures = 2;
    const { fathom } = clientOf(api, {
      fetch: (request) => {
        failures -= 1;
        if (failures === 1) throw new TypeError('connection refused');
        if (failures === 0) return Promise.resolve(new Response('no server', { status: 502 }));
        return fetch(request);
      },
    });
    expect(await fathom.stats()).toMatchObject({ totalUsers: 4 });
    expect(failures).toBe(-1);
  });

  it.each([
    ['breaks off', brokenOff, /could not be reached/],
    [
      'is cut short',
      () => new Response('{"totalUsers":4', { headers: { ETag: '"1"' } }),
      /isn't JSON/,
    ],
    [
      'is a page of a proxy',
      () => new Response('<html>Back soon', { headers: { ETag: '"1"' } }),
      /isn't JSON/,
    ],
    ['is empty', () => new Response(null), /isn't JSON/],
  ])('a response that %s is asked for again, and never kept', async (_, broken, words) => {
    const api = await testApi();
    const asked: (string | null)[] = [];
    const { fathom } = clientOf(api, {
      fetch: (request) => {
        asked.push(request.headers.get('if-none-match'));
        return asked.length === 1 ? Promise.resolve(broken()) : fetch(request);
      },
    });
    expect(await fathom.stats()).toMatchObject({ totalUsers: 4 });
    expect(asked).toEqual([null, null]);
    const { fathom: lost } = clientOf(api, { fetch: async () => broken(), maxWait: 0 });
    const error = await lost.stats().catch((each: unknown) => each);
    expect(error).toBeInstanceOf(ConnectionError);
    expect((error as ConnectionError).message).toMatch(words);
  });
});

function brokenOff(): Response {
  const body = new ReadableStream({
    pull: (controller) => controller.error(new TypeError('terminated')),
  });
  return new Response(body);
}
