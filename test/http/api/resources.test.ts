import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UserError } from '#base/errors';
import { ROUTES } from '#http/api/resources/index';
import { openApi, type TestApi, testApi } from '../../support/api.ts';
import { ALGO, ETH, ETH_2, ETH_UNSEEN, SOL } from '../../support/api-source.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

async function body(path: string): Promise<Record<string, unknown>> {
  const answer = await api.get(path);
  expect(answer.status, path).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/json');
  return (await answer.json()) as Record<string, unknown>;
}

async function problem(path: string, init?: RequestInit) {
  const answer = await api.get(path, init);
  expect(answer.headers.get('content-type'), path).toBe('application/problem+json');
  const problem = (await answer.json()) as {
    code: string;
    detail: string;
    errors?: { parameter: string }[];
  };
  return { answer, status: answer.status, problem, code: problem.code };
}

describe('bodies', () => {
  it('lists the fields of a reputation in interface order', async () => {
    const text = await (await api.get(`/v1/reputation/${ETH}`)).text();
    expect(text).toBe(
      `{"address":"${ETH}","chain":"ethereum","score":9420,"tier":"Titan","rank":1,"totalUsers":4,"badges":["Early Adopter","Governor"],"lastUpdated":"2025-12-15T14:30:00Z"}`,
    );
  });

  it('lists the fields of badges in interface order', async () => {
    const list = await body(`/v1/badges/${ETH}`);
    expect(Object.keys(list)).toEqual(['address', 'badges', 'total']);
    const [first] = list.badges as object[];
    expect(Object.keys(first ?? {})).toEqual([
      'id',
      'name',
      'description',
      'tier',
      'earnedAt',
      'imageUrl',
      'soulbound',
    ]);
    expect(first).toMatchObject({ description: 'Given by the tests, with "quotes" and ünïcode' });
    expect(await body(`/v1/badges/${SOL}`)).toEqual({ address: SOL, badges: [], total: 0 });
  });

  it('lists the fields of a leaderboard, with equal ranks for equal scores', async () => {
    const page = await body('/v1/leaderboard');
    expect(Object.keys(page)).toEqual(['leaderboard', 'total', 'limit', 'offset']);
    const entries = page.leaderboard as Record<string, unknown>[];
    expect(Object.keys(entries[0] ?? {})).toEqual([
      'rank',
      'address',
      'displayName',
      'score',
      'tier',
      'badges',
    ]);
    expect(entries.map((each) => each.rank)).toEqual([1, 2, 2, 4]);
    expect(entries[3]?.displayName).toBe('Zoë "Z" <z>');
    expect(page).toMatchObject({ total: 4, limit: 100, offset: 0 });
  });

  it('lists the fields of activities in interface order', async () => {
    const list = await body(`/v1/activity/${ETH}`);
    expect(Object.keys(list)).toEqual(['address', 'activities', 'total']);
    const items = list.activities as object[];
    expect(items).toHaveLength(50);
    expect(Object.keys(items[0] ?? {})).toEqual([
      'id',
      'type',
      'description',
      'points',
      'timestamp',
    ]);
    expect(list.total).toBe(260);
  });

  it('lists the fields of the statistics in interface order', async () => {
    const text = await (await api.get('/v1/stats/global')).text();
    expect(text).toBe(
      '{"totalUsers":4,"totalBadgesIssued":2,"chains":{"ethereum":{"users":2},"solana":{"users":1},"algorand":{"users":1}},"averageScore":3355,"topTier":{"titan":1,"whale":0,"shark":2,"dolphin":0,"shrimp":1}}',
    );
  });

  it('lists the fields of a breakdown in order', async () => {
    const text = async (path: string) => (await api.get(`/v1${path}`)).text();
    expect(await text(`/breakdown/${ETH}`)).toBe(
      `{"address":"${ETH}","score":9420,"rules":[{"id":"vote","version":1,"title":"Votes, \\"quoted\\"","points":20,"count":2,"capped":5,"decayed":0,"discounted":0,"newest":"2025-12-15T14:30:00Z"}],"imported":{"points":9400,"count":1},"asOf":"2025-12-16T00:00:00Z"}`,
    );
    expect(await text(`/history/${ETH}`)).toBe(
      `{"address":"${ETH}","days":[{"day":"2024-10-04","score":9420},{"day":"2024-10-05","score":9420}]}`,
    );
    expect(await text('/provenance')).toBe(
      `{"rules":null,"sources":[{"id":"import","chain":null,"height":7,"hash":null,"at":null}],"asOf":null,"digest":"${'0'.repeat(64)}"}`,
    );
  });

  it('lists all activities page by page, and says where a cursor is gone', async () => {
    const path = `/v1/activities/${ETH}`;
    const text = await (await api.get(`${path}?limit=1`)).text();
    expect(text).toBe(
      `{"address":"${ETH}","activities":[{"id":"act_0000000000000000","type":"governance_vote","description":"Activity 0","points":9420,"timestamp":"2025-12-15T14:30:00Z"}],"next":"act_0000000000000000","hasMore":true}`,
    );
    const all = await body(`${path}?limit=5000`);
    expect(all).toMatchObject({ next: null, hasMore: false });
    expect(all.activities).toHaveLength(260);
    const rest = await body(`${path}?limit=200&after=act_0000000000000199`);
    expect(rest.activities).toHaveLength(60);
    expect((await body(path)).activities).toHaveLength(100);
    for (const [query, status, code] of [
      ['after=act_nothing', 410, 'cursor-gone'],
      ['after=0', 400, 'invalid-parameter'],
      ['after=', 400, 'invalid-parameter'],
      ['limit=0', 400, 'invalid-parameter'],
      ['chain=eth', 400, 'unknown-parameter'],
    ] as const) {
      const told = await problem(`${path}?${query}`);
      expect([told.status, told.problem.code], query).toEqual([status, code]);
    }
    const unseen = await problem(`/v1/activities/${ETH_UNSEEN}?after=act_nothing`);
    expect(unseen.problem.code).toBe('wallet-not-found');
  });

  it('covers exactly the requested days of a history, inclusively', async () => {
    const days = async (query: string) =>
      ((await body(`/v1/history/${ETH}${query}`)).days as { day: string }[]).map(({ day }) => day);
    expect(await days('?from=2024-10-05')).toEqual(['2024-10-05']);
    expect(await days('?to=2024-10-04')).toEqual(['2024-10-04']);
    expect(await days('?from=2024-10-04&to=2024-10-05')).toHaveLength(2);
    expect(await days('?from=2024-10-06')).toEqual([]);
  });

  it('answers a resource that the source lacks with a 404 that names the cause', async () => {
    const { source } = api;
    const missing = () => {
      throw new UserError('route-not-found', 'The upstream hasn’t got it.');
    };
    source.override = { breakdown: missing, history: missing, provenance: async () => missing() };
    for (const path of [`/v1/breakdown/${ETH}`, `/v1/history/${ETH}`, '/v1/provenance']) {
      const { status, problem: told } = await problem(path);
      expect([status, told]).toMatchObject([
        404,
        { code: 'route-not-found', detail: 'The upstream hasn’t got it.' },
      ]);
      // The document says so, too.
      const route = ROUTES.find((each) =>
        path.startsWith(`/v1${each.path.replace(':address', '')}`),
      );
      expect(route?.problems).toContain('route-not-found');
    }
    source.override = {};
  });

  it('does not expose extra fields of the source', async () => {
    const leaky = await testApi();
    leaky.source.override.stats = () => {
      const stats = { secret: 1, totalBadgesIssued: 0, totalUsers: 0, averageScore: 742.61 };
      const chains = { solana: { users: 0 }, ethereum: { users: 0, x: 1 }, algorand: { users: 0 } };
      const topTier = { shrimp: 0, titan: 0, whale: 0, shark: 0, dolphin: 0 };
      return { ...stats, chains, topTier };
    };
    const text = await (await leaky.get('/v1/stats/global')).text();
    expect(text).toBe(
      '{"totalUsers":0,"totalBadgesIssued":0,"chains":{"ethereum":{"users":0},"solana":{"users":0},"algorand":{"users":0}},"averageScore":742.61,"topTier":{"titan":0,"whale":0,"shark":0,"dolphin":0,"shrimp":0}}',
    );
  });

  it('answers the same from an asynchronous source', async () => {
    const later = await testApi();
    later.source.later = true;
    for (const path of [`/v1/reputation/${ETH}`, '/v1/leaderboard?limit=2', '/v1/stats/global']) {
      const answer = await later.get(path);
      expect(await answer.json()).toEqual(await body(path));
    }
    expect((await later.get(`/v1/badges/${ETH_UNSEEN}`)).status).toBe(404);
  });
});

describe('addresses', () => {
  it.each([
    ['lower case', ETH.toLowerCase(), ETH],
    ['upper case', `0x${ETH.slice(2).toUpperCase()}`, ETH],
    ['a percent-encoded character', `%30x${ETH.slice(2)}`, ETH],
    ['Solana', SOL, SOL],
    ['Algorand', ALGO, ALGO],
  ])('%s is found and answered in canonical form', async (_name, given, canonical) => {
    for (const resource of ['reputation', 'badges', 'activity']) {
      expect((await body(`/v1/${resource}/${given}`)).address).toBe(canonical);
    }
  });

  it.each([
    ['a wrong checksum', ETH.replace('d8dA', 'D8dA')],
    ['lower-case Algorand', ALGO.toLowerCase()],
    ['nonsense', 'hello'],
    ['too long', 'A'.repeat(500)],
    ['an encoded slash', `0x%2F${ETH.slice(3)}`],
    ['double encoding', `%2530x${ETH.slice(2)}`],
    ['a space', `%20${ETH}`],
    ['no UTF-8', '%ff%fe'],
    ['a lone percent sign', '%'],
    ['an incomplete escape', `${ETH}%4`],
    ['a null character', `${ETH}%00`],
  ])('%s is no address', async (_name, given) => {
    for (const resource of ['reputation', 'badges', 'activity']) {
      const { status, problem: told } = await problem(`/v1/${resource}/${given}`);
      expect([status, told.code], `${resource} ${given}`).toEqual([400, 'invalid-address']);
      expect(told.errors?.[0]?.parameter).toBe('address');
    }
  });

  it('rejects a chain that contradicts the address, and accepts a matching one', async () => {
    for (const address of [ETH, ETH.toLowerCase()]) {
      const { status, code, problem: told } = await problem(`/v1/reputation/${address}?chain=sol`);
      expect([status, code]).toEqual([400, 'chain-mismatch']);
      // What it says to use instead is a value that the parameter takes.
      const instead = /use (\w+)\.$/.exec(told.detail)?.[1];
      expect((await body(`/v1/reputation/${address}?chain=${instead}`)).chain).toBe('ethereum');
      expect((await body(`/v1/reputation/${address}?chain=eth`)).chain).toBe('ethereum');
    }
    expect((await body(`/v1/reputation/${SOL}?chain=sol`)).chain).toBe('solana');
    expect((await body(`/v1/reputation/${ALGO}?chain=algo`)).chain).toBe('algorand');
  });

  it('distinguishes a wallet never seen from one that fell to zero', async () => {
    for (const resource of ['reputation', 'badges', 'activity']) {
      const { status, code } = await problem(`/v1/${resource}/${ETH_UNSEEN}`);
      expect([status, code]).toEqual([404, 'wallet-not-found']);
    }
    expect((await body(`/v1/reputation/${ETH_2}`)).score).toBe(0);
    // In lower case these are 32 other bytes, so another wallet.
    expect((await problem(`/v1/reputation/${SOL.toLowerCase()}`)).code).toBe('wallet-not-found');
  });
});

describe('parameters', () => {
  it.each([
    ['/v1/leaderboard?limit=1', { limit: 1, offset: 0 }],
    ['/v1/leaderboard?limit=500', { limit: 500 }],
    ['/v1/leaderboard?limit=501', { limit: 500 }],
    ['/v1/leaderboard?limit=999999999', { limit: 500 }],
    ['/v1/leaderboard?offset=0', { offset: 0 }],
    ['/v1/leaderboard?offset=999999999', { offset: 999_999_999, leaderboard: [], total: 4 }],
    ['/v1/leaderboard?offset=3&limit=2', { offset: 3, limit: 2, total: 4 }],
    ['/v1/leaderboard?chain=all', { total: 4 }],
    ['/v1/leaderboard?chain=eth', { total: 2 }],
    ['/v1/leaderboard?chain=sol', { total: 1 }],
    ['/v1/leaderboard?chain=algo', { total: 1 }],
    ['/v1/leaderboard?%6cimit=%31', { limit: 1 }],
    ['/v1/leaderboard?', { limit: 100 }],
    ['/v1/leaderboard?&&limit=3&', { limit: 3 }],
  ])('%s', async (path, expected) => {
    expect(await body(path)).toMatchObject(expected);
  });

  it('bounds the limit of activities', async () => {
    const count = async (query: string) =>
      ((await body(`/v1/activity/${ETH}${query}`)).activities as unknown[]).length;
    expect(await count('?limit=1')).toBe(1);
    expect(await count('?limit=200')).toBe(200);
    expect(await count('?limit=201')).toBe(200);
  });

  const BAD_INTEGERS = [
    '',
    '5.0',
    '0x10',
    '%205',
    '5%20',
    '+5',
    '-1',
    '-0',
    '05',
    '5e1',
    '1_0',
    '1234567890',
    'NaN',
    'null',
    '%EF%BC%95',
    '%zz',
    '5%00',
    '%2535',
  ];
  it.each(BAD_INTEGERS)('rejects "%s" as an integer', async (text) => {
    for (const name of ['limit', 'offset']) {
      const { status, problem: told } = await problem(`/v1/leaderboard?${name}=${text}`);
      expect([status, told.code]).toEqual([400, 'invalid-parameter']);
      expect(told.errors?.map((each) => each.parameter)).toEqual([name]);
    }
    expect((await problem(`/v1/activity/${ETH}?limit=${text}`)).code).toBe('invalid-parameter');
  });

  it.each([
    ['/v1/leaderboard?limit=0', 'invalid-parameter'],
    [`/v1/history/${ETH}?from=2025-02-30`, 'invalid-parameter'],
    [`/v1/history/${ETH}?from=2025-1-1`, 'invalid-parameter'],
    [`/v1/history/${ETH}?to=1969-12-31`, 'invalid-parameter'],
    [`/v1/history/${ETH}?to=`, 'invalid-parameter'],
    [`/v1/history/${ETH}?from=2025-01-02&to=2025-01-01`, 'invalid-parameter'],
    [`/v1/history/${ETH}?from=2025-01-02&from=2025-01-02`, 'duplicate-parameter'],
    [`/v1/history/${ETH}?limit=1`, 'unknown-parameter'],
    [`/v1/breakdown/${ETH}?chain=eth`, 'unknown-parameter'],
    ['/v1/provenance?x=1', 'unknown-parameter'],
    [`/v1/activity/${ETH}?limit=0`, 'invalid-parameter'],
    ['/v1/leaderboard?limit', 'invalid-parameter'],
    ['/v1/leaderboard?chain=ethereum', 'invalid-parameter'],
    ['/v1/leaderboard?chain=ETH', 'invalid-parameter'],
    ['/v1/leaderboard?chain=', 'invalid-parameter'],
    [`/v1/reputation/${ETH}?chain=all`, 'invalid-parameter'],
    ['/v1/leaderboard?chian=sol', 'unknown-parameter'],
    ['/v1/leaderboard?Limit=1', 'unknown-parameter'],
    ['/v1/leaderboard?=1', 'unknown-parameter'],
    ['/v1/leaderboard?__proto__=1', 'unknown-parameter'],
    ['/v1/leaderboard?constructor=1', 'unknown-parameter'],
    ['/v1/leaderboard?%zz=1', 'unknown-parameter'],
    ['/v1/leaderboard?limit[]=1', 'unknown-parameter'],
    ['/v1/leaderboard?limit=1;offset=2', 'invalid-parameter'],
    [`/v1/reputation/${ETH}?limit=1`, 'unknown-parameter'],
    [`/v1/badges/${ETH}?chain=eth`, 'unknown-parameter'],
    [`/v1/activity/${ETH}?offset=1`, 'unknown-parameter'],
    ['/v1/stats/global?x', 'unknown-parameter'],
    ['/v1/stats/global?api_key=fth_x', 'unknown-parameter'],
    ['/v1/leaderboard?limit=1&limit=1', 'duplicate-parameter'],
    ['/v1/leaderboard?limit=1&limit=x', 'duplicate-parameter'],
    ['/v1/leaderboard?chain=eth&%63hain=eth', 'duplicate-parameter'],
    ['/v1/leaderboard?limit=x&limit=1&y=2', 'unknown-parameter'],
  ])('refuses %s as %s', async (path, code) => {
    const { status, problem: told } = await problem(path);
    expect([status, told.code]).toEqual([400, code]);
    expect(told.errors?.length).toBeGreaterThan(0);
  });

  it('reports all invalid parameters, and the known ones', async () => {
    const { problem: told } = await problem('/v1/leaderboard?chian=sol&limit=x&offset=1&offset=2');
    expect(told).toMatchObject({
      code: 'unknown-parameter',
      errors: [
        { parameter: 'chian', message: 'Available parameters: limit, offset, chain.' },
        {
          parameter: 'offset',
          message: 'Send it once. Available parameters: limit, offset, chain.',
        },
        { parameter: 'limit' },
      ],
    });
    const many = await problem(`/v1/leaderboard?${'a&'.repeat(900)}`);
    expect(many.problem.errors?.length).toBe(10);
  });
});
