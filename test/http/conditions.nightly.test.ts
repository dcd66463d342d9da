import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { patienceMs } from '../support/patience.ts';
import { type ServedHere, serveHere } from '../support/serve-here.ts';

let service: ServedHere;
let paths: string[];

beforeAll(async () => {
  service = await serveHere({
    PUBLIC_URL: 'https://fathom.example',
    RATE_LIMIT_PUBLIC: '10000',
  });
  const read = async <T>(path: string) => (await (await get(path)).json()) as T;
  type Board = { leaderboard: { address: string }[] };
  const address = (await read<Board>('/v1/leaderboard?limit=1')).leaderboard[0]?.address;
  type Badges = { badges: { id: string }[] };
  const badge = (await read<Badges>(`/v1/badges/${address}`)).badges[0]?.id;
  paths = [
    ...['/openapi.json', '/docs', '/docs?lang=es', '/docs/guides', '/robots.txt', '/llms.txt'],
    ...['/favicon.ico', '/', '/link', '/pages/base.css', '/leaderboard', '/stats'],
    ...[`/wallet/${address}`, `/badges/${badge}`, `/card/${address}.png`, `/card/${address}.svg`],
    ...[`/badge-picture/${badge}.png`, `/v1/reputation/${address}`, '/v1/stats/global'],
  ];
  // While its chart is behind, a page has nothing to compare.
  const isWhole = async () => (await get('/stats')).headers.has('etag');
  await vi.waitUntil(isWhole, { timeout: patienceMs(), interval: 50 });
});
afterAll(() => service.stop());

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(service.url + path, { headers, method });

describe('conditions of requests', () => {
  it('mean the same for whatever is served', async () => {
    for (const path of paths) {
      const plain = await get(path);
      const etag = plain.headers.get('etag') ?? '';
      expect([path, plain.status, etag.slice(0, 3)]).toEqual([path, 200, 'W/"']);
      const cases: [Record<string, string>, number][] = [
        [{ 'If-Match': '"other"' }, 412],
        // By strong comparison.
        [{ 'If-Match': etag }, 412],
        [{ 'If-Match': '*' }, 200],
        [{ 'If-Match': '"other"', 'If-None-Match': etag }, 412],
        [{ 'If-Match': '*', 'If-None-Match': etag }, 304],
        [{ 'If-None-Match': '*' }, 304],
        [{ 'If-None-Match': '"other"' }, 200],
        [{ 'If-Unmodified-Since': 'nonsense' }, 200],
      ];
      // Only what has a date is compared with one.
      const isDated = plain.headers.has('last-modified');
      const before = 'Sun, 06 Nov 1994 08:49:37 GMT';
      cases.push([{ 'If-Unmodified-Since': before }, isDated ? 412 : 200]);
      cases.push([{ 'If-Modified-Since': before }, 200]);
      for (const [headers, status] of cases) {
        for (const method of ['GET', 'HEAD']) {
          const answer = await get(path, headers, method);
          expect([path, headers, method, answer.status]).toEqual([path, headers, method, status]);
          if (status !== 412) continue;
          expect(answer.headers.get('cache-control')).toBe('no-store');
          expect(answer.headers.get('etag')).toBeNull();
          if (method === 'GET')
            expect(await answer.json()).toMatchObject({ code: 'precondition-failed', status });
        }
      }
    }
  });

  it('mean nothing where there is an error', async () => {
    for (const path of ['/link/none', '/wallet/none', '/card/none.png', '/none', '/v1/none']) {
      const { status } = await get(path);
      expect([path, status >= 400]).toEqual([path, true]);
      for (const name of ['If-Match', 'If-None-Match'])
        for (const value of ['"other"', '*'])
          expect([path, (await get(path, { [name]: value })).status]).toEqual([path, status]);
    }
  });
});
