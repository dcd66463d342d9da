import { request } from 'node:http';
import { brotliDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { askRaw, type TestApi, testApi } from '../../support/api.ts';
import { ALGO, ETH, ETH_2, ETH_UNSEEN, SOL } from '../../support/api-source.ts';

interface Place {
  address: string;
  code?: string;
  detail?: string;
  score?: number;
  total?: number;
}

const START = 1_765_809_000_250;

async function placesOf(answer: Response): Promise<Place[]> {
  expect(answer.status).toBe(200);
  const body = (await answer.json()) as { results: Place[] };
  expect(Object.keys(body)).toEqual(['results']);
  return body.results;
}

const times = (count: number, text = ETH) => Array<string>(count).fill(text).join(',');

describe.each(['reputation', 'badges'])('GET /v1/%s?addresses=', (resource) => {
  const path = `/v1/${resource}?addresses=`;

  it('answers in the order asked, with the record of a single request or a problem', async () => {
    const api = await testApi();
    const bad = ETH.replace('d8dA', 'D8dA');
    const asked = [SOL, ETH.toLowerCase(), bad, ETH_UNSEEN, SOL, 'no"thing\\', ALGO];
    const places = await placesOf(await api.get(path + encodeURIComponent(asked.join(','))));
    const singly = await Promise.all(
      asked.map(async (address) => {
        const answer = await api.get(`/v1/${resource}/${encodeURIComponent(address)}`);
        const body = (await answer.json()) as Place;
        return answer.ok ? body : { address, code: body.code, detail: body.detail };
      }),
    );
    expect(places).toEqual(singly);
    expect(places.map(({ code }) => code)).toEqual([
      ...[undefined, undefined, 'invalid-address', 'wallet-not-found'],
      ...[undefined, 'invalid-address', undefined],
    ]);
    expect(Object.keys(places[2] ?? {})).toEqual(['address', 'code', 'detail']);
  });

  it('takes commas encoded or not, and an empty place for an invalid address', async () => {
    const api = await testApi();
    const [first, second, third] = await placesOf(await api.get(`${path}${ETH}%2C,${SOL}`));
    expect([first?.address, third?.address]).toEqual([ETH, SOL]);
    const detail = expect.stringContaining('is empty');
    expect(second).toMatchObject({ address: '', code: 'invalid-address', detail });
    const chainless = await placesOf(await api.get(`${path}%252C`));
    expect(chainless).toMatchObject([{ address: '%2C', code: 'invalid-address' }]);
  });

  it.each([
    ['', 'invalid-parameter'],
    ['?', 'invalid-parameter'],
    ['?addresses=', 'invalid-parameter'],
    ['?addresses', 'invalid-parameter'],
    ['?addresses=%zz', 'invalid-parameter'],
    [`?addresses=${times(101)}`, 'invalid-parameter'],
    [`?addresses=${ETH}&chain=eth`, 'unknown-parameter'],
    [`?addresses=${ETH}&addresses=${SOL}`, 'duplicate-parameter'],
  ])('rejects %s as a whole, for the price of one', async (query, code) => {
    const api = await testApi({ limits: { public: 20, key: 20 } });
    const answer = await api.get(`/v1/${resource}${query}`);
    expect([answer.status, answer.headers.get('x-ratelimit-remaining')]).toEqual([400, '19']);
    const problem = (await answer.json()) as { code: string; errors: { message: string }[] };
    expect(problem.code).toBe(code);
    if (code === 'invalid-parameter') {
      expect(problem.errors[0]?.message).toContain('1 to 100 addresses separated by commas');
    }
  });

  it('is no parameter of a single wallet, and takes 100 addresses', async () => {
    const api = await testApi();
    expect((await api.get(`/v1/${resource}/${ETH}?addresses=${SOL}`)).status).toBe(400);
    const longest = Array<string>(100).fill(ALGO).join('%2C');
    expect(await placesOf(await api.get(path + longest))).toHaveLength(100);
  });

  it('has the headers, the 304, the HEAD and the encodings of other answers', async () => {
    const api = await testApi();
    const single = await api.get(`/v1/${resource}/${ETH}`);
    const answer = await api.get(path + ETH);
    const names = (each: Response) => [...each.headers.keys()];
    expect(names(answer)).toEqual(names(single));
    expect(answer.headers.get('etag')).toBe(single.headers.get('etag'));
    const etag = answer.headers.get('etag') ?? '';
    const same = await api.get(path + ETH, { headers: { 'If-None-Match': etag } });
    expect([same.status, same.headers.get('etag')]).toEqual([304, etag]);
    const head = await api.get(path + ETH, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([
      200,
      answer.headers.get('content-length'),
    ]);
    expect((await api.get(path + ETH, { method: 'POST' })).headers.get('allow')).toContain('GET');

    const plain = await (await api.get(path + times(40))).text();
    const compressed = await compressedBody(api, path + times(40));
    expect(brotliDecompressSync(compressed).toString()).toBe(plain);

    api.source.revision = 'rev-2';
    api.source.isStale = true;
    const later = await api.get(path + ETH, { headers: { 'If-None-Match': etag } });
    expect([later.status, later.headers.get('reputation-status')]).toEqual([200, 'stale']);
  });

  it('answers the same from a source that takes its time', async () => {
    const api = await testApi();
    const at = `${path}${ETH},,${ETH_UNSEEN},${ETH_2}`;
    const sooner = await (await api.get(at)).text();
    api.source.later = true;
    expect(await (await api.get(at)).text()).toBe(sooner);
  });
});

describe('the price of a list', () => {
  const LIMITS = { limits: { public: 20, key: 30 } };
  const left = (answer: Response) => Number(answer.headers.get('x-ratelimit-remaining'));

  it.each([
    [1, 19],
    [10, 19],
    [11, 18],
    [99, 10],
    [100, 10],
  ])('%i addresses leave %i of 20 requests', async (count, remaining) => {
    const api = await testApi(LIMITS);
    api.time.now = START;
    const answer = await api.get(`/v1/reputation?addresses=${times(count)}`);
    expect([answer.status, left(answer)]).toEqual([200, remaining]);
    expect(answer.headers.get('ratelimit')).toBe(`"public";r=${remaining};t=60`);
  });

  it('is the same for a 304 and for HEAD, and one for OPTIONS', async () => {
    const api = await testApi(LIMITS);
    const path = `/v1/badges?addresses=${times(50)}`;
    const same = await api.get(path, { headers: { 'If-None-Match': '*' } });
    expect([same.status, left(same)]).toEqual([304, 15]);
    expect(left(await api.get(path, { method: 'HEAD' }))).toBe(10);
    expect(left(await api.get(path, { method: 'OPTIONS' }))).toBe(9);
  });

  it('is refused as a whole where less is left, and then takes nothing', async () => {
    const api = await testApi(LIMITS);
    api.time.now = START;
    const hundred = `/v1/reputation?addresses=${times(100)}`;
    expect((await api.get(hundred)).status).toBe(200);
    expect(left(await api.get('/v1/stats/global'))).toBe(9);
    for (const _ of [1, 2]) {
      const refused = await api.get(hundred);
      expect([refused.status, left(refused)]).toEqual([429, 9]);
      expect(refused.headers.get('retry-after')).toBe('60');
      const problem = (await refused.json()) as { code: string; detail: string };
      expect(problem.code).toBe('rate-limited');
      expect(problem.detail).toContain('This list costs 10 requests');
      expect(problem.detail).toContain('9 of 20 are left');
    }
    expect(left(await api.get(`/v1/reputation?addresses=${times(90)}`))).toBe(0);
    expect((await api.get(`/v1/reputation?addresses=${ETH}`)).status).toBe(429);
  });

  it('says to ask for fewer where it exceeds the limit itself', async () => {
    const api = await testApi({ limits: { public: 5, key: 30 } });
    const refused = await api.get(`/v1/reputation?addresses=${times(100)}`);
    expect([refused.status, left(refused)]).toEqual([429, 5]);
    expect(((await refused.json()) as { detail: string }).detail).toContain('fewer addresses');
    const headers = { 'X-API-Key': api.keys.create() };
    expect(left(await api.get(`/v1/reputation?addresses=${times(100)}`, { headers }))).toBe(20);
  });

  it('is counted however the path is written', async () => {
    const api = await testApi(LIMITS);
    expect(left(await api.get(`/v1/%72eputation?addresses=${times(100)}`))).toBe(10);
    const absolute = `GET http://h/v1/reputation?addresses=${times(100)} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`;
    const answer = await askRaw(api, absolute);
    expect([answer.status, answer.headers['x-ratelimit-remaining']]).toEqual([200, '0']);
  });
});

describe('the length of a list', () => {
  const ask = (api: TestApi, target: string) =>
    askRaw(api, `GET ${target} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`);

  it('may be 8 KiB of path and query, 2 KiB everywhere else', async () => {
    const api = await testApi();
    const long = (path: string, length: number) => path + 'x'.repeat(length - path.length);
    const list = '/v1/reputation?addresses=';
    expect((await ask(api, long(list, 8192))).status).toBe(200);
    expect((await ask(api, long(list, 8193))).body).toContain('the maximum is 8192');
    for (const path of [`/v1/reputation/${ETH}?addresses=`, '/v1/stats/global?addresses=']) {
      const answer = await ask(api, long(path, 2049));
      expect([answer.status, answer.body]).toEqual([
        414,
        expect.stringContaining('the maximum is 2048'),
      ]);
    }
    const huge = await ask(api, long(list, 20_000));
    expect([huge.status, huge.body]).toEqual([414, expect.stringContaining('at most 8192')]);
  });
});

/** Brotli; `fetch` would decompress it. */
function compressedBody(api: TestApi, path: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { headers: { 'Accept-Encoding': 'br' } };
    request(api.url + path, options, (answer) => {
      const parts: Buffer[] = [];
      expect(answer.headers['content-encoding']).toBe('br');
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () => resolve(Buffer.concat(parts)));
      answer.on('error', reject);
    })
      .on('error', reject)
      .end();
  });
}
