import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { normalizeTarget } from '#http/api/routes/paths';
import {
  askRaw,
  exchangeRaw,
  openApi,
  parseAnswer,
  type TestApi,
  testApi,
} from '../../support/api.ts';
import { ETH, ETH_UNSEEN } from '../../support/api-source.ts';
import { fakeUpstream, RECORD, saying, upstreamAt } from '../../support/upstream.ts';

const COUNTED = [
  `/v1/reputation/${ETH}`,
  `/v1/badges/${ETH_UNSEEN}`,
  '/v1/leaderboard?limit=1',
  '/v1/stats/global',
  '/v1/nothing',
  '/v1',
];
const FREE = ['/livez', '/openapi.json', '/docs', '/nothing', '/v1x/stats/global', '/'];
const ORIGINS = ['', 'http://h', 'HTTPS://u:p@h:1', 'http://[::1]', 'http://', 'hTTp://h%2f'];
/** What the router would take for a slash unless we checked. */
const NO_PATHS = ['*', 'ftp://h/', 'v1://'];

interface Spelling {
  readonly plain: string;
  readonly target: string;
}

/** The path with some characters escaped in the given form. */
const spelled = (paths: readonly string[]): fc.Arbitrary<Spelling> =>
  fc
    .record({
      plain: fc.constantFrom(...paths),
      origin: fc.constantFrom(...ORIGINS),
      fragment: fc.constantFrom('', '#', '#/v1/stats/global', '#?limit=0'),
      escapes: fc.infiniteStream(fc.constantFrom('no', 'lower', 'upper')),
    })
    .map(({ plain, origin, fragment, escapes }) => {
      const path = plain.split('?', 1)[0] ?? '';
      const letters = [...path].map((letter) =>
        letter === '/' ? letter : escapedAs(letter, escapes.next().value ?? 'no'),
      );
      return { plain, target: origin + letters.join('') + plain.slice(path.length) + fragment };
    });

function escapedAs(letter: string, form: string): string {
  const code = `%${letter.charCodeAt(0).toString(16)}`;
  return form === 'no' ? letter : form === 'lower' ? code : code.toUpperCase();
}

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

const ask = (on: TestApi, method: string, target: string, more = '') =>
  askRaw(on, `${method} ${target} HTTP/1.1\r\nHost: x\r\n${more}Connection: close\r\n\r\n`);

describe('an unusually spelled path', () => {
  it('is answered and counted like the normalized one, and never fails', async () => {
    const method = fc.constantFrom('GET', 'HEAD', 'OPTIONS', 'POST');
    const check = async (how: string, { plain, target }: Spelling) => {
      const [as, given] = [await ask(api, how, plain), await ask(api, how, target)];
      expect(given.status).toBe(as.status);
      expect(given.status).toBeLessThan(500);
      expect(given.headers.etag).toBe(as.headers.etag);
      expect(given.headers.ratelimit === undefined).toBe(!COUNTED.includes(plain));
      if (COUNTED.includes(plain)) {
        expect(Number(given.headers['x-ratelimit-remaining'])).toBe(
          Number(as.headers['x-ratelimit-remaining']) - 1,
        );
      }
    };
    await fc.assert(fc.asyncProperty(method, spelled([...COUNTED, ...FREE]), check));
    expect(api.log.lines).toEqual([]);
  });

  it('rejects an invalid key', async () => {
    await fc.assert(
      fc.asyncProperty(spelled(COUNTED), async ({ target }) => {
        const fresh = await openApi();
        const { status } = await ask(fresh, 'GET', target, 'X-API-Key: wrong\r\n');
        await fresh.close();
        expect(status).toBe(401);
      }),
      { numRuns: 30 },
    );
  });

  it('is counted if the rest of the request is broken', async () => {
    const limited = await testApi({ limits: { public: 2, key: 10 } });
    const broken = (target: string) =>
      askRaw(limited, `GET ${target} HTTP/1.1\r\nbad header\r\n\r\n`);
    expect((await broken('/%76%31/stats/global')).headers['x-ratelimit-remaining']).toBe('1');
    expect((await broken('http://h/v1/stats')).headers['x-ratelimit-remaining']).toBe('0');
    expect((await broken('/v%31')).status).toBe(429);
  });

  it('gets no 100 Continue under /v1', async () => {
    const text = await exchangeRaw(
      api,
      'POST /%761/leaderboard HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n' +
        'Content-Length: 2\r\nConnection: close\r\n\r\n{}',
    );
    expect(parseAnswer(text).status).toBe(405);
  });
});

describe('an invalid or different path', () => {
  it('is answered with a problem, whatever follows it', async () => {
    for (const path of COUNTED) {
      for (const start of NO_PATHS) {
        const { status } = await ask(api, 'GET', start + path.slice(1));
        expect([400, 404], start + path).toContain(status);
      }
    }
    for (const method of ['GET', 'HEAD', 'POST']) {
      expect((await ask(api, method, '*')).status, method).toBe(404);
    }
    expect((await ask(api, 'OPTIONS', '*')).status).toBe(204);
    // At debug, each request has a line.
    expect(api.log.lines.filter(({ level }) => level !== 'debug')).toEqual([]);
  });

  it.each(['/%25761/stats/global', '/v1%2Fstats/global', '/v1%3F/stats', '//v1/stats/global'])(
    '%s is answered with 404 and not counted',
    async (target) => {
      const { status, headers } = await ask(api, 'GET', target);
      expect([status, headers.ratelimit]).toEqual([404, undefined]);
    },
  );
});

it('The API never lets a client exceed its limit at an upstream', async () => {
  const fake = await fakeUpstream((req, res) => {
    const address = (req.url ?? '').split('/').at(-1);
    saying({ address, chain: 'ethereum', ...RECORD })(req, res);
  });
  const { source } = upstreamAt(fake.url);
  const below = await testApi({ source, limits: { public: 3, key: 10 } });
  const targets = fc.sample(spelled(['/v1/reputation/']), 40).map(({ target }, i) => {
    const wallet = `0x${String(i).padStart(40, '0')}`;
    return target.replace(/(#.*)?$/, `${wallet}$1`);
  });
  const statuses: number[] = [];
  for (const target of ['*v1/stats/global', ...targets]) {
    statuses.push((await ask(below, 'GET', target)).status);
  }
  expect(statuses).toEqual([404, 200, 200, 200, ...Array.from({ length: 37 }, () => 429)]);
  expect(fake.asked).toHaveLength(3);
  expect(below.log.lines).toEqual([]);
});

it('The API decodes only escapes that change nothing, once, and none in the query', () => {
  expect(normalizeTarget('/%7E%2d%5F%2E%30%39%41%5A%61%7A')).toBe('/~-_.09AZaz');
  for (const kept of ['/%2F%3F%23%25%20%3A%40%5B%60%7B%C3%A9%zz%', '/%2576', '/a?%76=%31', '*']) {
    expect(normalizeTarget(kept)).toBe(kept);
  }
  expect(normalizeTarget('/a%3Fb?%41#c?d')).toBe('/a%3Fb?%41');
});
